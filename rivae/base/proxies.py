"""Which proxies in front of the app are believed when they say for whom they ask.

Standard library only, like ``rivae.app.serve``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from rivae.base.errors import ConfigError

PROXIES = "FORWARDED_ALLOW_IPS"  # uvicorn takes the X-Forwarded-For of these, separated by commas


def trusted_proxies(addresses: Sequence[str]) -> str:
    """The addresses and networks of proxies as the server's environment holds them.

    Raises:
        ConfigError: one of them is no address, or stands for all addresses.
    """
    proxies = []
    for one in addresses:
        try:
            network = ipaddress.ip_network(one.strip())
        except ValueError:
            network = None
        if network is None or not network.prefixlen:
            raise ConfigError(
                f"{one[:80]!r} is not the address of a proxy: give --proxy, or {PROXIES}, one like "
                "127.0.0.1, or a network like 10.0.0.0/8"
            )
        alone = network.prefixlen == network.max_prefixlen
        proxies.append(str(network.network_address if alone else network))
        if network.version == 4:  # as a server on all IPv6 addresses sees it
            proxies.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
    return ",".join(proxies)
