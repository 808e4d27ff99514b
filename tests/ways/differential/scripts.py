"""Random statements of the dialect, each with what it comes to for a judge that has no DML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from .kinds import (
    LEAVES,
    Kind,
    Leaf,
    Record,
    by_name,
    grown,
    kind,
    literal,
    loose,
    null,
    plain,
    quoted,
    reordered,
    value,
)
from .terms import predicate, shown, term
from .world import NUMBERED, SCHEMAS, Rows, Step, Table, World

_PARTITIONS = frozenset(
    {"TINYINT", "INT", "BIGINT", "DOUBLE", "DECIMAL", "STRING", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "CHAR"}
)
_NO_PARTITION_CONSTANT = frozenset({"DOUBLE"})
_ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Europe/Berlin", "Asia/Tokyo")


@dataclass
class Drawing:
    """Draws statements at random for the world as it is. `for_delta`: the judge is delta-spark, which has less."""

    rng: Random
    world: World
    leaves: Sequence[Leaf] = LEAVES
    for_delta: bool = False

    def first(self) -> list[Step]:
        """Statements that a script begins with."""
        zone = [Step(f"SET {_ZONE} = {self.rng.choice(_ZONES)}")]
        return zone + [self.create(schema, f"t{index}") for index, schema in enumerate((*SCHEMAS, SCHEMAS[0]))]

    def next(self) -> Step:
        step = self.draw()
        return replace(step, arrow=self.rng.random() < 0.6)

    def draw(self) -> Step:
        draws = (
            *[self.insert] * 5,
            *[self.query] * 6,
            *[self.update] * 2,
            *[self.delete] * 2,
            *[self.merge] * 2,
            self.overwrite,
            self.overwrite if self.for_delta else self.replace_where,
            self.evolve,
            self.reorder,
            self.add_column,
            self.make_view,
            self.use,
            self.setting,
            self.upkeep,
        )
        return self.rng.choice(draws)()

    def table(self) -> Table:
        return self.rng.choice(list(self.world.tables.values()))

    def called(self, table: Table) -> str:
        """A name of the table that means it in the current schema."""
        folded = table.name if self.world.case_sensitive else table.name.upper()
        names = [table.full_name, f"spark_catalog.{table.full_name}", f"`{table.schema}`.{folded}"]
        return self.rng.choice([*names, *([table.name] * 3 if table.schema == self.world.schema else [])])

    # Tables

    def create(self, schema: str, name: str) -> Step:
        rng = self.rng
        mapping = rng.choice(["none", "name", "name", "id"])
        columns: list[tuple[str, Kind]] = [("id", Leaf("INT"))]
        names = rng.sample(
            ["s", "Arr", "m m", "c.d", "e", "f"] if mapping != "none" else list("stef"), rng.randint(2, 4)
        )
        columns += [(each, self.kind(rng.randint(0, 3), mapping != "none")) for each in names]
        partition, columns = self.partitioned(columns)
        flat = [(each, of) for each, of in columns if isinstance(of, Leaf) and each != partition]
        defaults = tuple((each, literal(rng, of)) for each, of in flat if rng.random() < 0.2)
        numbered = not self.for_delta and rng.random() < 0.2
        table = Table(schema, name, tuple(columns), partition, defaults, numbered, mapping != "none")
        properties = [f"'delta.columnMapping.mode' = '{mapping}'", "'delta.feature.timestampNtz' = 'supported'"]
        properties += ["'delta.feature.allowColumnDefaults' = 'supported'"] if defaults else []
        properties += [f"'delta.{each}' = '{rng.choice(values)}'" for each, values in _PROPERTIES if rng.random() < 0.4]
        number = f", {NUMBERED} BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 7 INCREMENT BY 3)" if numbered else ""
        layout = f" PARTITIONED BY ({quoted(partition)})" if partition else rng.choice(["", "", " CLUSTER BY (id)"])
        listed = f" TBLPROPERTIES ({', '.join(properties)})"
        sql = f"CREATE TABLE {table.full_name} ({table.declared}{number}) USING delta{layout}{listed}"
        return Step(sql, f"CREATE TABLE {table.full_name} ({table.declared}) USING parquet", table=table)

    def kind(self, depth: int, mapped: bool) -> Kind:
        """A type whose names the table can have: without column mapping none with a space."""
        while True:
            drawn = kind(self.rng, depth, self.leaves)
            if mapped or "d e" not in drawn.sql:
                return drawn

    def partitioned(self, columns: list[tuple[str, Kind]]) -> tuple[str | None, list[tuple[str, Kind]]]:
        """The column by which the table is partitioned, or None, and the columns: that one has no empty texts."""
        rng = self.rng
        families = {"INT", "DATE"} if self.for_delta else _PARTITIONS
        flat = {name: of for name, of in columns if isinstance(of, Leaf) and of.family in families}
        if rng.random() < 0.3:
            flat = {"p": rng.choice([leaf for leaf in self.leaves if leaf.family in families])}
            columns = [*columns, *flat.items()]
        elif rng.random() < 0.5 or not flat:
            return None, columns
        partition = rng.choice(list(flat))
        is_text = flat[partition].sql == "STRING"
        return partition, [(n, Leaf("STRING", filled=True) if n == partition and is_text else k) for n, k in columns]

    def add_column(self) -> Step:
        table = self.table()
        self.world.number += 1
        name, of = f"n{self.world.number}", self.kind(2, table.mapped)
        sql = f"ALTER TABLE {self.called(table)} ADD COLUMNS ({name} {of.sql})"
        return Step(sql, table=replace(table, columns=(*table.columns, (name, of))))

    def upkeep(self) -> Step:
        """A statement that changes no rows."""
        table = self.table()
        name = self.called(table)
        vectors = self.rng.choice(["true", "false"])
        # Without partitions it may be clustered.
        sorted_by = " ZORDER BY (id)" if table.partition not in {None, "id"} else ""
        texts = [
            f"OPTIMIZE {name}",
            f"OPTIMIZE {name}{sorted_by}",
            f"REORG TABLE {name} APPLY (PURGE)",
            f"ALTER TABLE {name} SET TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')",
            f"SET deltasql.io.mode = {self.rng.choice(['AUTO', 'DRIVER', 'EXECUTORS'])}",
        ]
        return Step(self.rng.choice(texts), only_ours=True, table=None)

    # Rows

    def rows(self, columns: Sequence[tuple[str, Kind]]) -> str:
        """A query of a few new rows; the first columns' values are small numbers."""
        selects = []
        for _ in range(self.rng.randint(1, 4)):
            values = [self.fresh(name, of) for name, of in columns]
            selects.append(f"SELECT {', '.join(values)}")
        return " UNION ALL ".join(selects)

    def fresh(self, name: str, of: Kind) -> str:
        return str(self.rng.randint(0, 9)) if name == "id" else value(self.rng, of)

    def into(self, table: Table) -> str:
        """A name of the table, with its columns where one of them is not for statements."""
        return f"{self.called(table)} ({table.listed})" if table.numbered else self.called(table)

    def insert(self) -> Step:
        rng, table = self.rng, self.table()
        target = self.into(table)
        match rng.choice(["rows", "rows", "values", "loose", "list", "copy", "by name"]):
            case "values":
                rows = ", ".join(f"({', '.join(self.constant(table, n, of) for n, of in table.columns)})" for _ in "12")
                return Step(f"INSERT INTO {target} VALUES {rows}", table=table)
            case "loose" if self.world.policy == "ANSI":
                at = rng.randrange(1, len(table.columns))
                parts = [loose(rng, of) if i == at else self.fresh(n, of) for i, (n, of) in enumerate(table.columns)]
                return Step(f"INSERT INTO {target} SELECT {', '.join(parts)}", table=table)
            case "list":
                chosen = rng.sample(table.columns, rng.randint(1, len(table.columns)))
                names = ", ".join(quoted(name) for name, _ in chosen)
                return Step(f"INSERT INTO {self.called(table)} ({names}) {self.rows(chosen)}", table=table)
            case "copy":
                sql = f"INSERT INTO {target} SELECT {table.listed} FROM {self.called(table)} WHERE id < 3"
                return Step(sql, table=table)
            case "by name":
                chosen = rng.sample(table.columns, len(table.columns))
                named = [f"{self.fresh(name, of)} AS {quoted(name)}" for name, of in chosen]
                return Step(f"INSERT INTO {self.called(table)} BY NAME SELECT {', '.join(named)}", table=table)
        return Step(f"INSERT INTO {target} {self.rows(table.columns)}", table=table)

    def constant(self, table: Table, name: str, of: Kind) -> str:
        """A plain literal, of the kind that needs no Spark, where there is one."""
        if not isinstance(of, Leaf):
            return self.fresh(name, of)
        given = ["DEFAULT"] if name in dict(table.defaults) else []
        return str(self.rng.randint(0, 9)) if name == "id" else self.rng.choice(["NULL", literal(self.rng, of), *given])

    def overwrite(self) -> Step:
        table = self.table()
        flat = dict(table.columns)
        of = flat.get(table.partition or "")
        fits = isinstance(of, Leaf) and of.family not in _NO_PARTITION_CONSTANT and not table.numbered
        if table.partition and fits and table.partition != "id" and self.rng.random() < 0.7:
            by = quoted(table.partition)
            assert isinstance(of, Leaf)
            constant = literal(self.rng, of)
            typed = f"CAST({constant} AS {of.sql})" if of.is_number else constant
            others = [(name, kind) for name, kind in table.columns if name != table.partition]
            fresh = self.rows(others)
            kept = f"SELECT * FROM {table.full_name} WHERE NOT ({by} <=> {constant})"
            names = ", ".join(f"`c{i}`" for i in range(len(others)))
            spliced = iter(range(len(others)))
            listed = ", ".join(typed if n == table.partition else f"`c{next(spliced)}`" for n, _ in table.columns)
            added = f"SELECT {listed} FROM ({fresh}) AS r({names})"
            sql = f"INSERT OVERWRITE {self.called(table)} PARTITION ({by} = {constant}) {fresh}"
            return Step(sql, Rows(table, (kept, added)), table=table)
        fresh = self.rows(table.columns)
        return Step(f"INSERT OVERWRITE {self.into(table)} {fresh}", Rows(table, (fresh,)), table=table)

    def replace_where(self) -> Step:
        table = self.table()
        if table.numbered:
            return self.overwrite()
        condition = predicate(self.rng, table.scope, 1)
        fresh = f"SELECT * FROM {table.full_name} WHERE {condition}"
        kept = f"SELECT * FROM {table.full_name} WHERE NOT coalesce({condition}, FALSE)"
        sql = f"INSERT INTO {self.called(table)} REPLACE WHERE {condition} {fresh}"
        return Step(sql, Rows(table, (kept, fresh)), table=table)

    def evolve(self) -> Step:
        """INSERT WITH SCHEMA EVOLUTION of rows whose structs have other fields, in another order."""
        rng, table = self.rng, self.table()
        if table.numbered:
            return self.reorder()
        self.world.number += 1
        at = rng.randrange(len(table.columns))
        _, of = table.columns[at]
        wider = grown(rng, of, f"g{self.world.number}", self.leaves)
        given = [reordered(rng, wider) if i == at else other for i, (_, other) in enumerate(table.columns)]
        columns = tuple((n, wider if i == at else k) for i, (n, k) in enumerate(table.columns))
        after = replace(table, columns=columns)
        fresh = [self.fresh(n, g) for (n, _), g in zip(columns, given, strict=True)]
        names = [f"`c{i}`" for i in range(len(columns))]
        rows = f"SELECT {', '.join(f'{each} AS {n}' for each, n in zip(fresh, names, strict=True))}"
        aligned = ", ".join(by_name(n, g, k) for n, g, (_, k) in zip(names, given, columns, strict=True))
        old = ", ".join(by_name(quoted(n), k, w) for (n, k), (_, w) in zip(table.columns, columns, strict=True))
        queries = (f"SELECT {old} FROM {table.full_name}", f"SELECT {aligned} FROM ({rows})")
        sql = f"INSERT WITH SCHEMA EVOLUTION INTO {self.called(table)} SELECT {', '.join(fresh)}"
        return Step(sql, Rows(after, queries), table=after)

    def reorder(self) -> Step:
        """INSERT BY NAME of structs whose fields come in another order."""
        table = self.table()
        given = [(name, reordered(self.rng, of)) for name, of in table.columns]
        fresh = [(self.fresh(name, of), name) for name, of in given]
        listed = ", ".join(f"{each} AS {quoted(name)}" for each, name in fresh)
        aligned = ", ".join(by_name(quoted(n), g, k) for (n, g), (_, k) in zip(given, table.columns, strict=True))
        queries = (f"SELECT * FROM {table.full_name}", f"SELECT {aligned} FROM (SELECT {listed})")
        return Step(f"INSERT INTO {self.called(table)} BY NAME SELECT {listed}", Rows(table, queries), table=table)

    def delete(self) -> Step:
        table = self.table()
        condition = predicate(self.rng, table.scope)
        kept = f"SELECT * FROM {table.full_name} WHERE NOT coalesce({condition}, FALSE)"
        sql = f"DELETE FROM {self.called(table)} WHERE {condition}"
        return Step(sql, Rows(table, (kept,)), table=table)

    def update(self) -> Step:
        table = self.table()
        condition = predicate(self.rng, table.scope)
        assigned, values = self.assignments(table, table.scope, "")
        queries = (
            f"SELECT * FROM {table.full_name} WHERE NOT coalesce({condition}, FALSE)",
            f"SELECT {values} FROM {table.full_name} WHERE {condition}",
        )
        sql = f"UPDATE {self.called(table)} SET {assigned} WHERE {condition}"
        return Step(sql, Rows(table, queries), table=table)

    def assignments(self, table: Table, scope: Sequence[tuple[str, Kind]], alias: str) -> tuple[str, str]:
        """The text of SET for some columns or one field, and the SELECT list of the rows that it makes."""
        rng = self.rng
        changes: dict[str, str] = {}
        texts, defaults = [], dict(table.defaults)
        for name, of in rng.sample(table.columns, rng.randint(1, 2)):
            path = f"{alias}{quoted(name)}"
            if isinstance(of, Record) and rng.random() < 0.6:
                inner, inner_kind = rng.choice(of.fields)
                new = self.assigned(inner_kind, scope)
                parts = (f"'{n}', {new if n == inner else f'{path}.{quoted(n)}'}" for n, _ in of.fields)
                texts.append(f"{path}.{quoted(inner)} = {new}")
                changes[name] = f"named_struct({', '.join(parts)})"
                continue
            changes[name] = given = self.assigned(of, scope)
            if name in defaults and rng.random() < 0.3:
                changes[name], given = defaults[name], "DEFAULT"
            texts.append(f"{path} = {given}")
        listed = (changes.get(name, f"{alias}{quoted(name)}") for name, _ in table.columns)
        return ", ".join(texts), ", ".join(listed)

    def assigned(self, of: Kind, scope: Sequence[tuple[str, Kind]]) -> str:
        return term(self.rng, scope, of) if isinstance(of, Leaf) else value(self.rng, of)

    def merge(self) -> Step:
        """MERGE of new rows with distinct keys, the kinds of clauses in the order that delta-spark wants."""
        rng, table = self.rng, self.table()
        keys = rng.sample(range(12), rng.randint(1, 4))
        selects = []
        for key in keys:
            values = [str(key) if n == "id" else value(rng, k) for n, k in table.columns]
            named = [f"{each} AS {quoted(n)}" for each, (n, _) in zip(values, table.columns, strict=True)]
            selects.append(f"SELECT {', '.join(named)}")
        source = f"({' UNION ALL '.join(selects)})"
        old, target = table.full_name, table.under("t")
        both = [*target, *[(name, plain(of)) for name, of in table.under("s")]]
        joined = f"FROM {old} AS t JOIN {source} AS s ON t.id = s.id"
        unmatched = f"FROM {old} AS t LEFT ANTI JOIN {source} AS s ON t.id = s.id"
        new = f"FROM {source} AS s LEFT ANTI JOIN {old} AS t ON s.id = t.id"
        matched, matched_rows = self.clauses(table, both, "WHEN MATCHED", joined)
        source_only, source_rows = self.clauses(table, target, "WHEN NOT MATCHED BY SOURCE", unmatched)
        clauses, queries = matched, [*matched_rows, *source_rows]
        if rng.random() < 0.8 or not (matched or source_only):
            condition = predicate(rng, [(name, plain(of)) for name, of in table.under("s")], 1)
            inserted, made = self.inserted(table)
            clauses.append(f"WHEN NOT MATCHED AND {condition} THEN INSERT {inserted}")
            queries.append(f"SELECT {made} {new} WHERE {condition}")
        clauses += source_only
        sql = f"MERGE INTO {self.called(table)} AS t USING {source} AS s ON t.id = s.id {' '.join(clauses)}"
        return Step(sql, Rows(table, tuple(queries)), table=table)

    def inserted(self, table: Table) -> tuple[str, str]:
        """What stands behind INSERT in a MERGE, and the SELECT list of the rows that it makes."""
        if not table.numbered and self.rng.random() < 0.6:
            return "*", "s.*"
        names = [name for name, _ in table.columns if name == "id" or self.rng.random() < 0.7]
        given = {name: f"s.{quoted(name)}" for name in names}
        missing = {name: null(of) for name, of in table.columns} | dict(table.defaults)
        values = ", ".join((missing | given)[name] for name, _ in table.columns)
        return f"({', '.join(quoted(name) for name in names)}) VALUES ({', '.join(given.values())})", values

    def clauses(
        self, table: Table, scope: Sequence[tuple[str, Kind]], when: str, rows: str
    ) -> tuple[list[str], list[str]]:
        """Up to two clauses of a kind, and queries of what they leave of the rows in `rows`."""
        texts: list[str] = []
        queries: list[str] = []
        left = "TRUE"
        for _ in range(self.rng.randint(0, 2)):
            condition = predicate(self.rng, scope, 1)
            here = f"{left} AND coalesce({condition}, FALSE)"
            left = f"{left} AND NOT coalesce({condition}, FALSE)"
            if self.rng.random() < 0.4:
                texts.append(f"{when} AND {condition} THEN DELETE")
                continue
            assigned, values = self.assignments(table, scope, "t.")
            texts.append(f"{when} AND {condition} THEN UPDATE SET {assigned}")
            queries.append(f"SELECT {values} {rows} WHERE {here}")
        return texts, [*queries, f"SELECT t.* {rows} WHERE {left}"]

    # Queries, views, settings

    def query(self) -> Step:
        return Step(self.select()[0], is_query=True)

    def select(self) -> tuple[str, tuple[tuple[str, Kind], ...]]:
        """A query, and its columns where they are those of a table or view."""
        rng = self.rng
        name, columns = self.source()
        scope = [(quoted(each), of) for each, of in columns]
        match rng.choice(["all", "some", "filter", "filter", "group", "join", "nested"]):
            case "some":
                listed = [f"{shown(rng, scope)} AS o{index}" for index in range(rng.randint(1, 4))]
                return f"SELECT {', '.join(listed)} FROM {name}", ()
            case "filter":
                return f"SELECT * FROM {name} WHERE {predicate(rng, scope)}", columns
            case "group":
                key = shown(rng, scope)
                return (
                    f"SELECT k, count(*) AS n FROM (SELECT to_json(struct({key} AS v)) AS k FROM {name}) GROUP BY k",
                    (),
                )
            case "join":
                other, more = self.source()
                condition = predicate(
                    rng, [(f"{alias}.{quoted(n)}", k) for alias, cols in (("l", columns), ("r", more)) for n, k in cols]
                )
                how = rng.choice(["JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
                return f"SELECT l.* FROM {name} AS l {how} {other} AS r ON l.id = r.id AND {condition}", columns
            case "nested":
                inner = f"SELECT * FROM {name} WHERE {predicate(rng, scope, 1)}"
                return f"WITH q AS ({inner}) SELECT * FROM (SELECT * FROM q) WHERE {predicate(rng, scope, 1)}", columns
        return f"SELECT * FROM {name}", columns

    def source(self) -> tuple[str, tuple[tuple[str, Kind], ...]]:
        """A table or a view, and its columns."""
        if self.world.views and self.rng.random() < 0.3:
            name = self.rng.choice(list(self.world.views))
            return name, self.world.views[name]
        table = self.table()
        name = self.called(table)
        return (f"(SELECT {table.listed} FROM {name})" if table.numbered else name), table.columns

    def make_view(self) -> Step:
        self.world.number += 1
        name = f"v{self.world.number}"
        query, columns = self.select()
        if not columns:
            query, columns = f"SELECT {(table := self.table()).listed} FROM {self.called(table)}", table.columns
        if self.rng.random() < 0.3:
            clock = "CAST(TIMESTAMP '2024-01-01 00:00:00' AS STRING)"
            query, columns = f"SELECT q.*, {clock} AS z FROM ({query}) AS q", (*columns, ("z", Leaf("STRING")))
        return Step(f"CREATE OR REPLACE TEMP VIEW {name} AS {query}", view=(name, columns))

    def use(self) -> Step:
        schema = self.rng.choice(SCHEMAS)
        return Step(f"USE {schema}", schema=schema)

    def setting(self) -> Step:
        key, values = self.rng.choice(_SETTINGS)
        return Step(f"SET {key} = {self.rng.choice(values)}")


_ZONE = "spark.sql.session.timeZone"
_ON = ("true",)
_PROPERTIES = (
    ("enableDeletionVectors", _ON),
    ("enableChangeDataFeed", _ON),
    ("enableRowTracking", _ON),
    ("enableInCommitTimestamps", _ON),
    ("checkpointInterval", ("2", "5")),
    ("dataSkippingNumIndexedCols", ("1", "32")),
)
_SETTINGS = (
    ("spark.sql.ansi.enabled", ("true", "false")),
    ("spark.sql.storeAssignmentPolicy", ("ANSI", "ANSI", "STRICT")),
    (_ZONE, _ZONES),
    ("spark.sql.caseSensitive", ("true", "false")),
)
