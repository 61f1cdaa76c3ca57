"""The workers of a cluster that tests start and kill."""

import distributed

from tests.waiting import PATIENCE_S


def both_stand(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=PATIENCE_S)


def workers_of(cluster):
    return [worker.pid for worker in cluster.workers.values()]
