"""The tables of the label store, and the rule of ``events.current_events`` as a view.

``label_events`` only takes new rows: triggers refuse every change and removal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

# 2: keys of imported items have the id of the import (``rivae.labels.opening``), which version 1
# does not find; the layout is the same.
SCHEMA_VERSION = 2

metadata = sa.MetaData()

# One row: the version of this layout. A database with this table is ours.
label_schema = sa.Table("label_schema", metadata, sa.Column("version", sa.Integer, nullable=False))

# See ``events.LabelEvent``. Times are text (``events.time_text``): the same to the microsecond in
# every database.
label_events = sa.Table(
    "label_events",
    metadata,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("id", sa.String(36), nullable=False, unique=True),
    sa.Column("time", sa.String(40), nullable=False),
    sa.Column("annotator", sa.Text, nullable=False),
    sa.Column("item", sa.Text, nullable=False),
    sa.Column("factor", sa.Text, nullable=False),
    sa.Column("level", sa.Integer),
    sa.Column("action", sa.String(16), nullable=False),
    sa.Column("seconds_shown", sa.Double, nullable=False),
    sa.Column("guideline", sa.Text, nullable=False),
    sa.Column("suggested", sa.Boolean, nullable=False),
    sa.Column("repeat", sa.Boolean, nullable=False),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("undoes", sa.String(36), nullable=False, index=True),
)

# Guidelines and plans that events refer to; a text never changes.
label_documents = sa.Table(
    "label_documents",
    metadata,
    sa.Column("kind", sa.String(40), primary_key=True),
    sa.Column("id", sa.String(80), primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
)

OWN_TABLES = frozenset(metadata.tables)

EVENT_COLUMNS = tuple(c for c in label_events.columns if c.name != "seq")

# The views: one row for each filled slot, the event and its ``kind``.
_VIEW_COLUMNS = ("kind", *(c.name for c in label_events.columns))


def _standing(name: str) -> sa.TableClause:
    return sa.table(
        name, sa.column("kind"), *(sa.column(c.name, c.type) for c in label_events.columns)
    )


current_labels = _standing("current_labels")
current_adjudications = _standing("current_adjudications")


def _view(of_adjudications: bool) -> Any:
    """The last event of each slot that is not undone (see ``events.Slot``)."""
    e, undo = label_events.alias("e"), label_events.alias("u")
    undone = sa.exists().where(
        sa.and_(undo.c.undoes == e.c.id, undo.c.annotator == e.c.annotator, undo.c.action == "undo")
    )
    kind = sa.case(
        (e.c.action == "adjudicate", "adjudication"),
        (e.c.action == "skip", "skip"),
        (e.c.action.in_(["flag", "unflag"]), "flag"),
        (e.c.repeat, "repeat"),
        else_="label",
    ).label("kind")
    is_verdict = e.c.action == "adjudicate"
    standing = (
        sa.select(kind, *e.columns)
        .where(e.c.action != "undo", is_verdict if of_adjudications else ~is_verdict, ~undone)
        .subquery("standing")
    )
    s = standing.c
    # There is one adjudication per item and factor, whoever made it.
    place = [s.item, s.factor] if of_adjudications else [s.annotator, s.kind, s.item, s.factor]
    rank = sa.func.row_number().over(partition_by=place, order_by=s.seq.desc()).label("place")
    ranks = sa.select(*s, rank).subquery("ranked")
    names: list[sa.ColumnElement[Any]] = [sa.literal_column(name) for name in _VIEW_COLUMNS]
    return (
        sa.select(*names).select_from(ranks).where(ranks.c.place == 1, ranks.c.action != "unflag")
    )


_APPEND_ONLY = {
    "sqlite": [
        # INSERT OR REPLACE removes a row without firing the triggers for DELETE.
        "CREATE TRIGGER label_events_no_replace BEFORE INSERT ON label_events "
        "WHEN EXISTS (SELECT 1 FROM label_events WHERE seq = NEW.seq OR id = NEW.id) "
        "BEGIN SELECT RAISE(ABORT, 'label_events takes new rows only'); END",
        *(
            f"CREATE TRIGGER {name}_no_{word.lower()} BEFORE {word} ON {name} "
            f"BEGIN SELECT RAISE(ABORT, '{name} takes new rows only'); END"
            for name in ("label_events", "label_documents")
            for word in ("UPDATE", "DELETE")
        ),
    ],
    "postgresql": [
        "CREATE FUNCTION label_rows_stay() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% takes new rows only', TG_TABLE_NAME; END $$",
        *(
            f"CREATE TRIGGER {name}_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION label_rows_stay()"
            for name in ("label_events", "label_documents")
        ),
    ],
}


def create(connection: sa.Connection) -> None:
    """Create tables, views and triggers in an empty database, in the caller's transaction."""
    metadata.create_all(connection)
    for view, adjudications in ((current_labels, False), (current_adjudications, True)):
        body = _view(adjudications).compile(
            dialect=connection.dialect, compile_kwargs={"literal_binds": True}
        )
        connection.exec_driver_sql(f"CREATE VIEW {view.name} AS {body}")
    for statement in _APPEND_ONLY[connection.dialect.name]:
        # As text, because the driver would take % for a parameter.
        connection.execute(sa.text(statement))
    connection.execute(label_schema.insert().values(version=SCHEMA_VERSION))


@contextmanager
def rewriting(connection: sa.Connection) -> Iterator[None]:
    """Drop the trigger against changes of events, inside the caller's transaction."""
    off = {
        "sqlite": "DROP TRIGGER label_events_no_update",
        "postgresql": "DROP TRIGGER label_events_stay ON label_events",
    }[connection.dialect.name]
    name = off.split()[2]
    create_trigger = next(
        s for s in _APPEND_ONLY[connection.dialect.name] if f"TRIGGER {name} " in s
    )
    connection.execute(sa.text(off))
    yield
    connection.execute(sa.text(create_trigger))


def found_version(connection: sa.Connection) -> int | None:
    """The version of the layout; None unless ``label_schema`` holds exactly one integer."""
    columns = {c["name"] for c in sa.inspect(connection).get_columns("label_schema")}
    if "version" not in columns:
        return None
    rows = connection.execute(sa.select(label_schema.c.version)).fetchall()
    return rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], int) else None
