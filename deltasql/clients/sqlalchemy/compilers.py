"""SQL of deltasql: queries, the statement CREATE TABLE with what Delta adds to it, names and types."""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy import exc, schema, types
from sqlalchemy.sql import compiler

from deltasql.schema import quote_name, quote_text

_LOGGER = logging.getLogger(__name__)
_FLOAT_DIGITS = 24
_ANY_DECIMAL = "DECIMAL(38, 18)"
"""For a Numeric without digits: Spark's own DECIMAL has none behind the point."""


class PreparedNames(compiler.IdentifierPreparer):
    """Names in back-ticks. A schema may have its catalog before it: `cat.sch`."""

    def __init__(self, dialect: Any) -> None:
        super().__init__(dialect, initial_quote="`", escape_quote="`")

    def _requires_quotes(self, value: str) -> bool:
        return quote_name(value) != value or super()._requires_quotes(value)

    def quote_schema(self, schema: str, force: Any = None) -> str:
        # No name of the catalog has a dot in it.
        return ".".join(self.quote(part) for part in str(schema).split("."))


class Types(compiler.GenericTypeCompiler):
    """Types in CREATE TABLE and CAST."""

    def visit_STRING(self, type_: Any, **kw: Any) -> str:  # noqa: N802 - SQLAlchemy's names, here and below
        return "STRING"

    def visit_TINYINT(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "TINYINT"

    def visit_VARIANT(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "VARIANT"

    def visit_ARRAY(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        depth = type_.dimensions or 1
        return "ARRAY<" * depth + self.process(type_.item_type, **kw) + ">" * depth

    def visit_MAP(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return f"MAP<{self.process(type_.key, **kw)}, {self.process(type_.value, **kw)}>"

    def visit_STRUCT(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        fields = (f"{quote_name(name)}: {self.process(kind, **kw)}" for name, kind in type_.fields)
        return f"STRUCT<{', '.join(fields)}>"

    def visit_INTEGER(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "INT"

    def visit_FLOAT(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        """Python's floats have 53 binary digits, which a FLOAT has not: only who asks for few gets one."""
        return "FLOAT" if type_.precision is not None and type_.precision <= _FLOAT_DIGITS else "DOUBLE"

    def visit_REAL(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "FLOAT"

    def visit_DOUBLE(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "DOUBLE"

    visit_DOUBLE_PRECISION = visit_DOUBLE  # noqa: N815

    def visit_NUMERIC(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        if type_.precision is None:
            return _ANY_DECIMAL
        return f"DECIMAL({type_.precision}, {type_.scale or 0})"

    visit_DECIMAL = visit_NUMERIC  # noqa: N815

    def visit_VARCHAR(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "STRING" if type_.length is None else f"VARCHAR({type_.length})"

    visit_NVARCHAR = visit_VARCHAR  # noqa: N815

    def visit_CHAR(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return f"CHAR({type_.length or 1})"

    visit_NCHAR = visit_CHAR  # noqa: N815

    def visit_TEXT(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "STRING"

    visit_CLOB = visit_NCLOB = visit_JSON = visit_TEXT  # noqa: N815

    def visit_BINARY(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "BINARY"

    visit_VARBINARY = visit_BLOB = visit_BINARY  # noqa: N815

    def visit_large_binary(self, type_: Any, **kw: Any) -> str:
        return "BINARY"

    def visit_TIMESTAMP(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return self.visit_DATETIME(type_, **kw)

    def visit_TIMESTAMP_NTZ(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        return "TIMESTAMP_NTZ"

    def visit_DATETIME(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        """Without a time zone it is a TIMESTAMP_NTZ, whose values are naive datetimes."""
        return "TIMESTAMP" if type_.timezone else "TIMESTAMP_NTZ"

    def visit_TIME(self, type_: Any, **kw: Any) -> str:  # noqa: N802
        raise exc.CompileError("Delta has no type for a time of day. Use String, or DateTime with a date.")


class Queries(compiler.SQLCompiler):
    """Statements on rows."""

    def limit_clause(self, select: Any, **kw: Any) -> str:
        text = ""
        if select._limit_clause is not None:
            text += "\n LIMIT " + self.process(select._limit_clause, **kw)
        if select._offset_clause is not None:
            text += "\n OFFSET " + self.process(select._offset_clause, **kw)
        return text

    def visit_regexp_match_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return f"{self.process(binary.left, **kw)} RLIKE {self.process(binary.right, **kw)}"

    def visit_not_regexp_match_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return f"NOT ({self.visit_regexp_match_op_binary(binary, operator, **kw)})"

    def visit_regexp_replace_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        return f"regexp_replace({self.process(binary.left, **kw)}, {self.process(binary.right, **kw)})"

    def visit_json_getitem_op_binary(self, binary: Any, operator: Any, **kw: Any) -> str:
        """A value within JSON: JSON itself, which has its quotes, or what its type makes of the text."""
        column, path = self.process(binary.left, **kw), self.process(binary.right, **kw)
        if isinstance(binary.type, types.JSON):
            return f"to_json(variant_get(parse_json({column}), {path}))"
        kind = self.dialect.type_compiler_instance.process(binary.type)
        return f"CAST(get_json_object({column}, {path}) AS {kind})"

    visit_json_path_getitem_op_binary = visit_json_getitem_op_binary

    def visit_empty_set_op_expr(self, type_: Any, expand_op: Any, **kw: Any) -> str:
        """IN () of tuples: NULL, for Spark compares no struct with one whose fields have no type."""
        base: Any = super()
        return str(base.visit_empty_set_op_expr(type_[:1], expand_op, **kw))

    def _literal_execute_expanding_parameter(self, name: str, parameter: Any, values: Any, **kw: Any) -> Any:
        base: Any = super()
        added, text = base._literal_execute_expanding_parameter(name, parameter, values, **kw)
        return added, self._tuples(text, parameter, values)

    def _literal_execute_expanding_parameter_literal_binds(
        self, parameter: Any, values: Any, bind_expression_template: Any = None
    ) -> Any:
        base: Any = super()
        added, text = base._literal_execute_expanding_parameter_literal_binds(
            parameter, values, bind_expression_template
        )
        return added, self._tuples(text, parameter, values)

    def _tuples(self, text: str, parameter: Any, values: Any) -> str:
        """The values of `(a, b) IN (…)`. Sail compares tuples with the rows of a subquery alone."""
        if not values or not parameter.type._is_tuple_type or not getattr(self.dialect, "is_sail", False):
            return text
        # Where literals are executed, one method of SQLAlchemy calls the other.
        return text if text.startswith("SELECT") else f"SELECT * FROM VALUES {text}"

    def visit_insert(self, insert_stmt: Any, *args: Any, **kw: Any) -> str:
        """Raises CompileError for rows without an integer key that SQLAlchemy expects the database to number."""
        base: Any = super()
        text = str(base.visit_insert(insert_stmt, *args, **kw))
        key = getattr(insert_stmt.table, "_autoincrement_column", None)
        if key is None or key.identity is not None or key.server_default is not None:
            return text
        written = text.partition("(")[2].partition(")")[0].split(", ")
        if self.preparer.format_column(key) not in written:
            raise exc.CompileError(
                f"The rows for {insert_stmt.table.name} have no {key.name}. Delta does not number a primary key "
                "automatically: give it a value or a default, or "
                "declare Column(BigInteger, Identity(), primary_key=True)."
            )
        return text

    def for_update_clause(self, select: Any, **kw: Any) -> str:
        raise exc.CompileError("There are no locks: a commit that comes second is checked when it is made.")


class Definitions(compiler.DDLCompiler):
    """Statements on tables."""

    def get_column_specification(self, column: Any, **kwargs: Any) -> str:
        parts = [
            self.preparer.format_column(column),
            self.dialect.type_compiler_instance.process(column.type, type_expression=column),
        ]
        # Which numbers a column gets is what it says itself: an integer key is no reason for any.
        if column.identity is not None:
            parts.append(self.process(column.identity))
        if column.computed is not None:
            parts.append(self.process(column.computed))
        if not column.nullable:
            parts.append("NOT NULL")
        default = self.get_column_default_string(column)
        if default is not None:
            parts.append(f"DEFAULT {default}")
        if column.comment is not None:
            parts.append(f"COMMENT {quote_text(column.comment)}")
        return " ".join(parts)

    def visit_identity_column(self, identity: Any, **kw: Any) -> str:
        steps = []
        if identity.start is not None:
            steps.append(f"START WITH {identity.start}")
        if identity.increment is not None:
            steps.append(f"INCREMENT BY {identity.increment}")
        kind = "ALWAYS" if identity.always else "BY DEFAULT"
        return f"GENERATED {kind} AS IDENTITY" + (f" ({' '.join(steps)})" if steps else "")

    def visit_computed_column(self, generated: Any, **kw: Any) -> str:
        text = self.sql_compiler.process(generated.sqltext, include_table=False, literal_binds=True)
        return f"GENERATED ALWAYS AS ({text})"

    def visit_unique_constraint(self, constraint: Any, **kw: Any) -> Any:
        """None leaves it out."""
        _warn_of_unique(constraint.table)

    def visit_create_index(
        self, create: Any, include_schema: Any = False, include_table_schema: Any = True, **kw: Any
    ) -> str:
        """No statement: the log has statistics of every file. A unique index would not be enforced."""
        if create.element.unique:
            _warn_of_unique(create.element.table)
        return ""

    def visit_drop_index(self, drop: Any, **kw: Any) -> str:
        return ""

    def visit_create_table(self, create: Any, **kw: Any) -> str:
        """A table without columns, as of an empty frame of pandas, has no brackets."""
        text: str = super().visit_create_table(create, **kw)  # type: ignore[no-untyped-call]
        return text if create.element.columns else text.replace("(\n)", "", 1)

    def post_create_table(self, table: Any) -> str:
        """USING DELTA, and the clauses that Delta has: `deltasql_partition_by`, `_cluster_by`, `_location` …"""
        options = table.dialect_options["deltasql"]
        clauses = ["USING DELTA"]
        for words, names in (("PARTITIONED BY", options["partition_by"]), ("CLUSTER BY", options["cluster_by"])):
            if names:
                columns = [names] if isinstance(names, str) else names
                clauses.append(f"{words} ({', '.join(map(self.preparer.quote, columns))})")
        if options["location"]:
            clauses.append(f"LOCATION {quote_text(options['location'])}")
        if table.comment is not None:
            clauses.append(f"COMMENT {quote_text(table.comment)}")
        properties = dict(options["properties"] or {})
        if any(self.get_column_default_string(column) is not None for column in table.columns):
            properties.setdefault("delta.feature.allowColumnDefaults", "supported")
        if properties:
            pairs = (f"{quote_text(key)} = {quote_text(str(value))}" for key, value in properties.items())
            clauses.append(f"TBLPROPERTIES ({', '.join(pairs)})")
        return "\n" + "\n".join(clauses)

    def visit_set_table_comment(self, create: Any, **kw: Any) -> str:
        return f"COMMENT ON TABLE {self.preparer.format_table(create.element)} IS {quote_text(create.element.comment)}"

    def visit_drop_table_comment(self, drop: Any, **kw: Any) -> str:
        return f"COMMENT ON TABLE {self.preparer.format_table(drop.element)} IS NULL"

    def visit_set_column_comment(self, create: Any, **kw: Any) -> str:
        column = create.element
        table, name = self.preparer.format_table(column.table), self.preparer.format_column(column)
        return f"ALTER TABLE {table} ALTER COLUMN {name} COMMENT {quote_text(column.comment or '')}"

    def visit_create_sequence(self, create: Any, prefix: Any = None, **kw: Any) -> str:
        raise exc.CompileError("There are no sequences. Use Identity() on a BigInteger column.")


def _warn_of_unique(table: schema.Table) -> None:
    # No warning of Python's, which test suites make an error of.
    _LOGGER.warning("Delta tables have no unique constraints: nothing keeps equal values out of %s.", table.name)
