"""The Thrift service of a warehouse: TCLIService as Databricks extends it. Source: databricks-sql-connector.

The generated classes are those of databricks-sql-connector. Each call answers with a status; errors of statements are
part of the operation's status, with their condition, SQLSTATE and message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from databricks.sql.thrift_api.TCLIService import TCLIService, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TApplicationException, TMessageType
from thrift.transport.TTransport import TMemoryBuffer

from deltasql.base import DeltaSqlError, errors, version
from deltasql.clients.warehouse import listings, wire
from deltasql.clients.warehouse.execution import (
    READS_CATALOG,
    MarkerValue,
    Request,
    Staging,
    configure,
    execute,
    parameter,
)
from deltasql.clients.warehouse.operations import Rows, RunningStatement, State, Warehouse, WarehouseClient
from deltasql.clients.warehouse.results import ResultLinks
from deltasql.clients.warehouse.wire import Wire, thrift_columns, thrift_schema

DIRECT_WAIT = 2.0
"""Seconds that a call with direct results waits for the end of its statement."""
POLL_WAIT = 1.0
"""Seconds that a call for a statement's state waits for its end."""
MOST_BATCH_BYTES = 20 << 20
"""Most bytes of rows in an answer, whatever a client asks for."""
MOST_ROWS = 1_000_000
_STATES = {
    State.PENDING: ttypes.TOperationState.PENDING_STATE,
    State.RUNNING: ttypes.TOperationState.RUNNING_STATE,
    State.FINISHED: ttypes.TOperationState.FINISHED_STATE,
    State.FAILED: ttypes.TOperationState.ERROR_STATE,
    State.CANCELED: ttypes.TOperationState.CANCELED_STATE,
    State.TIMED_OUT: ttypes.TOperationState.TIMEDOUT_STATE,
    State.CLOSED: ttypes.TOperationState.CLOSED_STATE,
}
_OF_NO_CATALOG = frozenset({ttypes.TOperationType.GET_TYPE_INFO, ttypes.TOperationType.GET_TABLE_TYPES})
_SUCCESS = ttypes.TStatus(statusCode=ttypes.TStatusCode.SUCCESS_STATUS)
_LATEST = ttypes.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V9
_FIRST_OF_SPARK = ttypes.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V1
_LATEST_OF_HIVE = ttypes.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V10


_gone: ContextVar[list[str]] = ContextVar("gone")
"""The messages of the call for statements that are not there."""


class ThriftService:
    """The handler of the Thrift methods, which the generated processor calls."""

    def __init__(self, warehouse: Warehouse, staging: Staging, links: ResultLinks) -> None:
        self._warehouse, self._staging, self._links = warehouse, staging, links
        self._processor = TCLIService.Processor(self)

    def answer(self, body: bytes) -> tuple[bytes, str]:
        """The answer to one call, both in Thrift's binary protocol. Bytes that are no call get an exception message.

        The text is empty, or says that the statement whose state was asked for is gone: HTTP's 404.
        """
        output = TMemoryBuffer()
        # An item takes a byte at least: whoever writes a greater number must not make the server reserve memory for it.
        call = TBinaryProtocolAccelerated(
            TMemoryBuffer(body), string_length_limit=len(body), container_length_limit=len(body)
        )
        before = _gone.set([])
        try:
            self._processor.process(call, TBinaryProtocolAccelerated(output))
            gone = "".join(_gone.get())
        except Exception as error:
            return _exception(f"The bytes are no call of this service: {type(error).__name__}."), ""
        finally:
            _gone.reset(before)
        return (_exception(gone), gone) if gone else (bytes(output.getvalue()), "")

    # Sessions

    def OpenSession(self, req: Any) -> Any:  # noqa: N802 - Thrift's name
        namespace = req.initialNamespace or ttypes.TNamespace()
        settings = {_text(key): _text(value) for key, value in (req.configuration or {}).items()}

        def set_up(client: WarehouseClient) -> None:
            configure(client, namespace.catalogName, namespace.schemaName, settings)

        try:
            client = self._warehouse.open(set_up)
        except DeltaSqlError as error:
            return ttypes.TOpenSessionResp(status=failure(error), serverProtocolVersion=_LATEST)
        protocol = _protocol(req)
        handle = ttypes.TSessionHandle(ttypes.THandleIdentifier(client.guid, client.secret), protocol)
        catalog = client.session.catalog
        return ttypes.TOpenSessionResp(
            status=_SUCCESS,
            serverProtocolVersion=protocol,
            sessionHandle=handle,
            configuration={},
            initialNamespace=ttypes.TNamespace(catalog.current_catalog, catalog.current_schema),
            canUseMultipleCatalogs=True,
        )

    def CloseSession(self, req: Any) -> Any:  # noqa: N802
        def close(client: WarehouseClient) -> Any:
            self._warehouse.clients.end(client)
            return ttypes.TCloseSessionResp(status=_SUCCESS)

        return self._in_session(req, ttypes.TCloseSessionResp, close)

    def GetInfo(self, req: Any) -> Any:  # noqa: N802
        def info(client: WarehouseClient) -> Any:
            return ttypes.TGetInfoResp(status=_SUCCESS, infoValue=_info(client, req.infoType))

        return self._in_session(req, ttypes.TGetInfoResp, info)

    # Statements

    def ExecuteStatement(self, req: Any) -> Any:  # noqa: N802
        request = Request(_text(req.statement), [_parameter(item) for item in req.parameters or ()], req.resultRowLimit)

        def run(client: WarehouseClient) -> Any:
            overlay = {_text(key).lower(): _text(value) for key, value in (req.confOverlay or {}).items()}
            timeout = req.queryTimeout or _seconds(overlay.get("statement_timeout"))
            statement = client.begin(request.sql, lambda: execute(client, request, self._staging), timeout)
            statement.wire = _wire(req)
            return self._begun(statement, req, ttypes.TExecuteStatementResp, ttypes.TOperationType.EXECUTE_STATEMENT)

        return self._in_session(req, ttypes.TExecuteStatementResp, run)

    def _begun(self, statement: RunningStatement, req: Any, answer: type, kind: int) -> Any:
        """The answer to a call that has begun a statement; with direct results, unless it takes long."""
        direct = req.getDirectResults
        wanted = direct is not None or not getattr(req, "runAsync", False)
        if wanted:
            statement.wait(DIRECT_WAIT if direct is not None else 1e6)
        handle = ttypes.TOperationHandle(
            operationId=ttypes.THandleIdentifier(statement.id, statement.secret),
            operationType=kind,
            hasResultSet=True,
        )
        results = None
        if direct is not None and statement.state.is_over:
            results = ttypes.TSparkDirectResults(operationStatus=_operation_status(statement))
            if statement.rows is not None:
                results.resultSetMetadata = self._metadata(statement)
                results.resultSet = self._fetched(statement, direct.maxRows, direct.maxBytes)
                if not results.resultSet.hasMoreRows and not results.resultSet.results.resultLinks:
                    # The client need not call once more to close it.
                    statement.is_sent = True
                    results.closeOperation = ttypes.TCloseOperationResp(status=_SUCCESS)
        return answer(status=_SUCCESS, operationHandle=handle, directResults=results)

    def GetOperationStatus(self, req: Any) -> Any:  # noqa: N802
        def status(client: WarehouseClient, statement: RunningStatement) -> Any:
            statement.wait(POLL_WAIT)
            return _operation_status(statement)

        return self._of_operation(req, ttypes.TGetOperationStatusResp, status)

    def CancelOperation(self, req: Any) -> Any:  # noqa: N802
        def cancel(client: WarehouseClient, statement: RunningStatement) -> Any:
            statement.cancel()
            return ttypes.TCancelOperationResp(status=_SUCCESS)

        return self._of_operation(req, ttypes.TCancelOperationResp, cancel)

    def CloseOperation(self, req: Any) -> Any:  # noqa: N802
        def close(client: WarehouseClient, statement: RunningStatement) -> Any:
            client.forget_statement(statement)
            return ttypes.TCloseOperationResp(status=_SUCCESS)

        return self._of_operation(req, ttypes.TCloseOperationResp, close)

    def GetResultSetMetadata(self, req: Any) -> Any:  # noqa: N802
        return self._of_operation(
            req, ttypes.TGetResultSetMetadataResp, lambda client, statement: self._metadata(statement)
        )

    def FetchResults(self, req: Any) -> Any:  # noqa: N802
        def fetch(client: WarehouseClient, statement: RunningStatement) -> Any:
            statement.wait(1e6)
            if statement.rows is None:
                return ttypes.TFetchResultsResp(status=failure(statement.error))
            if req.startRowOffset is not None:
                statement.fetched = min(max(0, req.startRowOffset), statement.rows.table.num_rows)
            elif req.orientation == ttypes.TFetchOrientation.FETCH_FIRST:
                statement.fetched = 0
            answer = self._fetched(statement, req.maxRows, req.maxBytes)
            if req.includeResultSetMetadata:
                answer.resultSetMetadata = self._metadata(statement)
            return answer

        return self._of_operation(req, ttypes.TFetchResultsResp, fetch)

    def _metadata(self, statement: RunningStatement) -> Any:
        statement.wait(1e6)
        rows, form = statement.rows, _form(statement)
        if rows is None:
            return ttypes.TGetResultSetMetadataResp(status=failure(statement.error))
        return ttypes.TGetResultSetMetadataResp(
            status=_SUCCESS,
            schema=thrift_schema(rows.columns),
            resultFormat=form.row_set_type,
            lz4Compressed=form.lz4,
            arrowSchema=form.schema_message(rows) if form.arrow else None,
            isStagingOperation=rows.is_staging,
        )

    def _fetched(self, statement: RunningStatement, most_rows: int | None, most_bytes: int | None) -> Any:
        """The next rows of a statement."""
        rows, form = statement.rows, _form(statement)
        assert rows is not None
        start, count = statement.fetched, rows.table.num_rows
        result = ttypes.TRowSet(startRowOffset=start, rows=[], columnCount=len(list(rows.columns)))
        if form.links:
            result.resultLinks, end = self._links.thrift_links(statement, start)
        else:
            most = min(MOST_BATCH_BYTES, most_bytes or MOST_BATCH_BYTES)
            end = min(count, start + min(most_rows or MOST_ROWS, wire.rows_per_chunk(rows, most)))
            if form.arrow:
                result.arrowBatches = [
                    ttypes.TSparkArrowBatch(batch=data, rowCount=size) for data, size in form.batches(rows, start, end)
                ]
            else:
                result.columns = thrift_columns(rows, start, end)
        statement.fetched = end
        return ttypes.TFetchResultsResp(status=_SUCCESS, hasMoreRows=end < count, results=result)

    # Catalogs

    def _listed(self, req: Any, answer: type, kind: int, listing: Callable[[WarehouseClient], Rows]) -> Any:
        def listed(client: WarehouseClient) -> Rows:
            if client.session.in_transaction and kind not in _OF_NO_CATALOG:
                raise errors.NotInTransactionError("The call of the driver", READS_CATALOG)
            return listing(client)

        def run(client: WarehouseClient) -> Any:
            statement = client.begin("", lambda: listed(client))
            # These calls do not say what their clients read, and the clients of Java read columns only.
            statement.wire = Wire(arrow=False)
            return self._begun(statement, req, answer, kind)

        return self._in_session(req, answer, run)

    def GetTypeInfo(self, req: Any) -> Any:  # noqa: N802
        return self._listed(req, ttypes.TGetTypeInfoResp, ttypes.TOperationType.GET_TYPE_INFO, listings.type_info)

    def GetCatalogs(self, req: Any) -> Any:  # noqa: N802
        return self._listed(req, ttypes.TGetCatalogsResp, ttypes.TOperationType.GET_CATALOGS, listings.catalogs)

    def GetSchemas(self, req: Any) -> Any:  # noqa: N802
        return self._listed(
            req,
            ttypes.TGetSchemasResp,
            ttypes.TOperationType.GET_SCHEMAS,
            lambda client: listings.schemas(client, req.catalogName, req.schemaName),
        )

    def GetTables(self, req: Any) -> Any:  # noqa: N802
        names = req.catalogName, req.schemaName, req.tableName
        return self._listed(
            req,
            ttypes.TGetTablesResp,
            ttypes.TOperationType.GET_TABLES,
            lambda client: listings.tables(client, *names, req.tableTypes),
        )

    def GetTableTypes(self, req: Any) -> Any:  # noqa: N802
        return self._listed(req, ttypes.TGetTableTypesResp, ttypes.TOperationType.GET_TABLE_TYPES, listings.table_types)

    def GetColumns(self, req: Any) -> Any:  # noqa: N802
        names = req.catalogName, req.schemaName, req.tableName, req.columnName
        return self._listed(
            req,
            ttypes.TGetColumnsResp,
            ttypes.TOperationType.GET_COLUMNS,
            lambda client: listings.columns(client, *names),
        )

    def GetFunctions(self, req: Any) -> Any:  # noqa: N802
        names = req.catalogName, req.schemaName, req.functionName
        return self._listed(
            req,
            ttypes.TGetFunctionsResp,
            ttypes.TOperationType.GET_FUNCTIONS,
            lambda client: listings.functions(client, *names),
        )

    def GetPrimaryKeys(self, req: Any) -> Any:  # noqa: N802
        table = listings.TableNames(req.catalogName, req.schemaName, req.tableName)
        return self._listed(
            req,
            ttypes.TGetPrimaryKeysResp,
            ttypes.TOperationType.UNKNOWN,
            lambda client: listings.primary_keys(client, table),
        )

    def GetCrossReference(self, req: Any) -> Any:  # noqa: N802
        parent = listings.TableNames(req.parentCatalogName, req.parentSchemaName, req.parentTableName)
        child = listings.TableNames(req.foreignCatalogName, req.foreignSchemaName, req.foreignTableName)
        return self._listed(
            req,
            ttypes.TGetCrossReferenceResp,
            ttypes.TOperationType.UNKNOWN,
            lambda client: listings.cross_reference(client, parent, child),
        )

    # Delegation tokens, which only Hive's servers have

    def GetDelegationToken(self, req: Any) -> Any:  # noqa: N802
        return ttypes.TGetDelegationTokenResp(status=_refused("Delegation tokens"))

    def CancelDelegationToken(self, req: Any) -> Any:  # noqa: N802
        return ttypes.TCancelDelegationTokenResp(status=_refused("Delegation tokens"))

    def RenewDelegationToken(self, req: Any) -> Any:  # noqa: N802
        return ttypes.TRenewDelegationTokenResp(status=_refused("Delegation tokens"))

    # Handles

    def _in_session(self, req: Any, answer: type, work: Callable[[WarehouseClient], Any]) -> Any:
        """The answer of `work` for the session that a call names, or a status for one that is not there."""
        try:
            identifier = req.sessionHandle.sessionId
            client = self._warehouse.client(identifier.guid, identifier.secret)
        except (DeltaSqlError, AttributeError, TypeError) as error:
            return answer(status=_invalid_handle(error))
        return self._answered(client, answer, lambda: work(client))

    def _of_operation(self, req: Any, answer: type, work: Callable[[WarehouseClient, RunningStatement], Any]) -> Any:
        try:
            identifier = req.operationHandle.operationId
            client, statement = self._warehouse.statement(identifier.guid, identifier.secret)
        except (DeltaSqlError, AttributeError, TypeError) as error:
            status = _invalid_handle(error)
            if answer is ttypes.TGetOperationStatusResp:
                _gone.get().append(f"RESOURCE_DOES_NOT_EXIST: {status.errorMessage}")
            return answer(status=status)
        return self._answered(client, answer, lambda: work(client, statement))

    def _answered(self, client: WarehouseClient, answer: type, work: Callable[[], Any]) -> Any:
        """The answer of `work` within a call of a session, or a status for its error."""
        with self._warehouse.call(client):
            try:
                return work()
            except Exception as error:
                return answer(status=failure(error))


def _exception(message: str) -> bytes:
    """An answer to which clients raise an exception."""
    output = TMemoryBuffer()
    protocol = TBinaryProtocolAccelerated(output)
    protocol.writeMessageBegin("", TMessageType.EXCEPTION, 0)
    TApplicationException(TApplicationException.PROTOCOL_ERROR, message).write(protocol)
    protocol.writeMessageEnd()
    return bytes(output.getvalue())


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _seconds(value: str | None) -> float | None:
    return float(value) if value is not None and value.isdigit() else None


def _protocol(req: Any) -> int:
    """The version of the protocol: the latest one of Databricks, or that of a client of Hive."""
    asked = req.client_protocol_i64 if req.client_protocol_i64 is not None else req.client_protocol
    if asked is None or asked >= _FIRST_OF_SPARK or asked < 0:
        return int(_LATEST)
    return int(min(asked, _LATEST_OF_HIVE))


def _form(statement: RunningStatement) -> Wire:
    """The form of a statement's rows; links only for many."""
    form: Wire = statement.wire or Wire(arrow=False)
    rows = statement.rows
    if rows is not None and rows.is_staging:
        return Wire(arrow=False)
    if form.links and (rows is None or wire.byte_size(rows) < ResultLinks.LEAST_BYTES):
        return replace(form, links=False)
    return form


def _wire(req: Any) -> Wire:
    """The form of rows that a client of Databricks asks for."""
    if not req.canReadArrowResult:
        return Wire(arrow=False)
    native = req.useArrowNativeTypes or ttypes.TSparkArrowTypes()
    return Wire(
        lz4=bool(req.canDecompressLZ4Result),
        links=bool(req.canDownloadResult),
        timestamps=bool(native.timestampAsArrow),
        decimals=bool(native.decimalAsArrow),
        nested=bool(native.complexTypesAsArrow),
        intervals=bool(native.intervalTypesAsArrow),
    )


def _parameter(item: Any) -> MarkerValue:
    """A parameter of Thrift; the value is one of three kinds, or there are arguments of a nested one."""
    return parameter(item.name or None, item.type, _value(item.value), _arguments(item.arguments))


def _arguments(items: Any) -> list[MarkerValue] | None:
    if items is None:
        return None
    return [parameter(None, item.type, item.value, _arguments(item.arguments)) for item in items]


def _value(value: Any) -> str | None:
    if value is None:
        return None
    if value.booleanValue is not None:
        return "true" if value.booleanValue else "false"
    return value.stringValue if value.stringValue is not None else repr(value.doubleValue)


def _operation_status(statement: RunningStatement) -> Any:
    answer = ttypes.TGetOperationStatusResp(
        status=_SUCCESS,
        operationState=_STATES[statement.state],
        operationStarted=int(statement.began * 1000),
        operationCompleted=int(statement.ended * 1000) if statement.ended else None,
        hasResultSet=True,
    )
    if statement.rows is not None:
        answer.numModifiedRows = statement.rows.changed
    if statement.state is State.FAILED:
        status = failure(statement.error)
        answer.sqlState, answer.errorCode = status.sqlState, status.errorCode
        answer.errorMessage = answer.displayMessage = status.errorMessage
        answer.diagnosticInfo = type(statement.error).__name__
    elif statement.state in {State.CANCELED, State.TIMED_OUT}:
        answer.errorMessage = answer.displayMessage = _message(statement.error)
    return answer


def failure(error: BaseException | None) -> Any:
    """The status of a failed call or statement."""
    sqlstate = getattr(error, "sqlstate", None) if isinstance(error, DeltaSqlError) else "XXKDS"
    message = _message(error)
    return ttypes.TStatus(
        statusCode=ttypes.TStatusCode.ERROR_STATUS,
        sqlState=sqlstate,
        errorCode=0,
        errorMessage=message,
        displayMessage=message,
    )


def _message(error: BaseException | None) -> str:
    if error is None:
        return "The statement is closed, or has no rows."
    return str(error) if isinstance(error, DeltaSqlError) else f"{type(error).__name__}: {error}"


def _invalid_handle(error: BaseException) -> Any:
    message = str(error) if isinstance(error, DeltaSqlError) else "The call names no session or statement."
    return ttypes.TStatus(
        statusCode=ttypes.TStatusCode.INVALID_HANDLE_STATUS,
        sqlState=getattr(error, "sqlstate", "HY000"),
        errorMessage=message,
        displayMessage=message,
    )


def _refused(what: str) -> Any:
    message = f"{what} are not supported."
    return ttypes.TStatus(statusCode=ttypes.TStatusCode.ERROR_STATUS, sqlState="0A000", errorMessage=message)


_NAME_LENGTH = 255
_I = ttypes.TGetInfoType
_TEXTS: Mapping[int, str] = {
    _I.CLI_SERVER_NAME: "Spark SQL",
    _I.CLI_DBMS_NAME: "Spark SQL",
    _I.CLI_DBMS_VER: version.__version__,
    _I.CLI_SEARCH_PATTERN_ESCAPE: "\\",
    _I.CLI_IDENTIFIER_QUOTE_CHAR: "`",
    _I.CLI_DATA_SOURCE_READ_ONLY: "N",
    _I.CLI_DATA_SOURCE_NAME: "deltasql",
    _I.CLI_CATALOG_NAME: "Y",
    _I.CLI_DESCRIBE_PARAMETER: "N",
    _I.CLI_COLLATION_SEQ: "UTF-8",
    _I.CLI_SPECIAL_CHARACTERS: "",
    _I.CLI_INTEGRITY: "N",
    _I.CLI_ACCESSIBLE_TABLES: "Y",
    _I.CLI_ACCESSIBLE_PROCEDURES: "N",
    _I.CLI_ORDER_BY_COLUMNS_IN_SELECT: "N",
}
_LENGTHS = frozenset(
    {
        *(_I.CLI_MAX_COLUMN_NAME_LEN, _I.CLI_MAX_SCHEMA_NAME_LEN, _I.CLI_MAX_CATALOG_NAME_LEN),
        *(_I.CLI_MAX_TABLE_NAME_LEN, _I.CLI_MAX_IDENTIFIER_LEN),
    }
)


def _info(client: WarehouseClient, kind: int) -> Any:
    """A fact about the server, for ODBC's SQLGetInfo. Source: Hive's GetInfo."""
    if kind == _I.CLI_USER_NAME:
        return ttypes.TGetInfoValue(stringValue=client.session.sql("SELECT current_user()").collect()[0][0])
    if kind in _LENGTHS:
        return ttypes.TGetInfoValue(lenValue=_NAME_LENGTH)
    text = _TEXTS.get(kind)
    return ttypes.TGetInfoValue(stringValue=text) if text is not None else ttypes.TGetInfoValue(lenValue=0)
