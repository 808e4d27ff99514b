from collections.abc import Collection
from dataclasses import dataclass

from deltasql.base.errors.base import Caret as Caret
from deltasql.base.errors.base import DeltaSqlError as DeltaSqlError
from deltasql.base.errors.base import LeftToEngineError as LeftToEngineError
from deltasql.base.errors.base import condition as condition
from deltasql.base.errors.base import counted as counted
from deltasql.base.errors.written import ArgumentKindError as ArgumentKindError
from deltasql.base.errors.written import ArgumentTypeError as ArgumentTypeError
from deltasql.base.errors.written import ArgumentValueError as ArgumentValueError
from deltasql.base.errors.written import ConcurrentModificationError as ConcurrentModificationError
from deltasql.base.errors.written import DuplicateColumnsError as DuplicateColumnsError
from deltasql.base.errors.written import MergeUnresolvedError as MergeUnresolvedError
from deltasql.base.errors.written import MissingSetColumnError as MissingSetColumnError
from deltasql.base.errors.written import NotPartitionColumnError as NotPartitionColumnError
from deltasql.base.errors.written import SignalledError as SignalledError
from deltasql.base.errors.written import SparkError as SparkError
from deltasql.base.errors.written import UnboundParameterError as UnboundParameterError
from deltasql.base.errors.written import UnresolvedReplaceUsingError as UnresolvedReplaceUsingError
from deltasql.base.errors.written import UnsupportedDatatypeError as UnsupportedDatatypeError
from deltasql.base.errors.written import UsageError as UsageError

@dataclass(eq=False)
class TableNotFoundError(DeltaSqlError):
    table: str
    advice: str
    similar: tuple[str, ...] = ...

@dataclass(eq=False)
class DroppedTableNotFoundError(DeltaSqlError):
    table: str
    days: str

@dataclass(eq=False)
class TableAlreadyExistsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class SchemaNotFoundError(DeltaSqlError):
    schema: str
    advice: str
    similar: tuple[str, ...] = ...

@dataclass(eq=False)
class SchemaAlreadyExistsError(DeltaSqlError):
    schema: str

@dataclass(eq=False)
class SchemaNotEmptyError(DeltaSqlError):
    schema: str
    tables: tuple[str, ...]

@dataclass(eq=False)
class DropDefaultSchemaError(DeltaSqlError):
    schema: str

@dataclass(eq=False)
class CatalogNotFoundError(DeltaSqlError):
    catalog: str
    known: tuple[str, ...]

@dataclass(eq=False)
class CatalogAlreadyExistsError(DeltaSqlError):
    catalog: str

@dataclass(eq=False)
class CatalogNotEmptyError(DeltaSqlError):
    catalog: str
    names: tuple[str, ...]

@dataclass(eq=False)
class DropDefaultCatalogError(DeltaSqlError):
    catalog: str

@dataclass(eq=False)
class InvalidNameError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class TooManyNamePartsError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class InformationSchemaReadOnlyError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class CatalogFileError(DeltaSqlError):
    path: str
    reason: str
    advice: str

@dataclass(eq=False)
class SampleReadOnlyError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class DefaultSubqueryError(DeltaSqlError):
    column: str
    expression: str

@dataclass(eq=False)
class DefaultNotConstantError(DeltaSqlError):
    column: str
    expression: str

@dataclass(eq=False)
class DefaultNotDeterministicError(DeltaSqlError):
    column: str
    expression: str

@dataclass(eq=False)
class DefaultTypeError(DeltaSqlError):
    column: str
    type: str
    expression: str
    reason: str

@dataclass(eq=False)
class DefaultExpressionError(DeltaSqlError):
    part: str
    column: str
    expression: str
    advice: str

@dataclass(eq=False)
class GeneratedWithDefaultError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class IdentityWithDefaultError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class IdentityTypeError(DeltaSqlError):
    column: str
    type: str

@dataclass(eq=False)
class IdentityStepError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class IdentityRangeError(DeltaSqlError):
    column: str
    number: int

@dataclass(eq=False)
class IdentityWithExpressionError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class ExplicitIdentityError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class IdentityUpdateError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class AlterIdentityError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class NoIdentityError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class IdentityOverflowError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class GeneratedReferenceError(DeltaSqlError):
    column: str
    reference: str
    what: str
    expression: str
    candidates: Collection[str]

@dataclass(eq=False)
class GeneratedNotDeterministicError(DeltaSqlError):
    column: str
    expression: str

@dataclass(eq=False)
class GeneratedAggregateError(DeltaSqlError):
    column: str
    expression: str

@dataclass(eq=False)
class GeneratedExpressionError(DeltaSqlError):
    column: str
    part: str
    expression: str
    advice: str

@dataclass(eq=False)
class GeneratedTypeError(DeltaSqlError):
    column: str
    declared: str
    found: str
    expression: str

@dataclass(eq=False)
class GeneratedDependentError(DeltaSqlError):
    operation: str
    column: str
    generated: str
    expression: str
    table: str

@dataclass(eq=False)
class GeneratedFromRandomError(DeltaSqlError):
    column: str
    expression: str
    generated: str

@dataclass(eq=False)
class GeneratedTypeMismatchError(DeltaSqlError):
    column: str
    old: str
    new: str
    generated: str
    table: str

@dataclass(eq=False)
class AmbiguousJsonNameError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class JsonPathOperandError(DeltaSqlError):
    kind: str

@dataclass(eq=False)
class ConcurrentWriteError(ConcurrentModificationError): ...

@dataclass(eq=False)
class ConcurrentAppendError(ConcurrentModificationError):
    partition: str = ...

@dataclass(eq=False)
class PartitionAppendError(ConcurrentAppendError): ...

@dataclass(eq=False)
class WholeTableAppendError(ConcurrentAppendError): ...

@dataclass(eq=False)
class RowAppendError(ConcurrentAppendError):
    rows: str = ...

@dataclass(eq=False)
class AppendBudgetError(ConcurrentAppendError):
    reason: str = ...

@dataclass(eq=False)
class ConcurrentDeleteReadError(ConcurrentModificationError):
    partition: str = ...

@dataclass(eq=False)
class PartitionDeleteReadError(ConcurrentDeleteReadError): ...

@dataclass(eq=False)
class WholeTableDeleteReadError(ConcurrentDeleteReadError): ...

@dataclass(eq=False)
class RowDeleteReadError(ConcurrentDeleteReadError):
    rows: str = ...

@dataclass(eq=False)
class ConcurrentDeleteDeleteError(ConcurrentModificationError):
    partition: str = ...

@dataclass(eq=False)
class PartitionDeleteDeleteError(ConcurrentDeleteDeleteError): ...

@dataclass(eq=False)
class DuplicateLoadError(ConcurrentModificationError):
    files: int = ...

@dataclass(eq=False)
class ConcurrentTransactionError(ConcurrentModificationError):
    subject: str = ...

@dataclass(eq=False)
class MetadataChangedError(ConcurrentModificationError): ...

@dataclass(eq=False)
class TableReplacedError(ConcurrentModificationError): ...

@dataclass(eq=False)
class ProtocolChangedError(ConcurrentModificationError): ...

@dataclass(eq=False)
class JavaMissingError(DeltaSqlError): ...

@dataclass(eq=False)
class SailMissingError(DeltaSqlError):
    package: str

@dataclass(eq=False)
class EnginesMixedError(DeltaSqlError):
    running: str
    engine: str

@dataclass(eq=False)
class NeedsEngineError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class EngineLostError(DeltaSqlError): ...

@dataclass(eq=False)
class NotOnSailError(DeltaSqlError):
    what: str

@dataclass(eq=False)
class OldCalendarError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class TimeOutOfRangeError(DeltaSqlError): ...

@dataclass(eq=False)
class GroupedShapesError(DeltaSqlError): ...

@dataclass(eq=False)
class MonthsInResultError(DeltaSqlError): ...

@dataclass(eq=False)
class NoWayToFilesError(DeltaSqlError):
    location: str
    scheme: str
    reason: str

@dataclass(eq=False)
class OtherCredentialsError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class LentCredentialsError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class StagedRowsMissingError(DeltaSqlError):
    location: str
    written: int
    found: int

@dataclass(eq=False)
class RowsLostError(DeltaSqlError):
    file: str
    found: int
    due: int

@dataclass(eq=False)
class FilesNotSharedError(DeltaSqlError):
    doing: str
    location: str

@dataclass(eq=False)
class CatalogConfigurationError(UsageError):
    catalog: str
    reason: str

@dataclass(eq=False)
class CatalogLibraryMissingError(DeltaSqlError):
    catalog: str
    type: str
    package: str
    extra: str

@dataclass(eq=False)
class CatalogOperationError(DeltaSqlError):
    catalog: str
    type: str
    operation: str

@dataclass(eq=False)
class RenameAcrossCatalogsError(DeltaSqlError):
    table: str
    new_name: str
    system: str
    new_system: str

@dataclass(eq=False)
class CatalogUnavailableError(DeltaSqlError):
    catalog: str
    type: str
    uri: str
    reason: str

@dataclass(eq=False)
class CatalogAccessError(DeltaSqlError):
    catalog: str
    type: str
    uri: str
    reason: str

@dataclass(eq=False)
class CatalogRequestError(DeltaSqlError):
    catalog: str
    type: str
    uri: str
    operation: str
    reason: str
    status: int = ...
    kind: str = ...
    repeated: bool = ...

@dataclass(eq=False)
class CatalogTableError(DeltaSqlError):
    table: str
    type: str
    reason: str

@dataclass(eq=False)
class CatalogWritersError(DeltaSqlError):
    table: str
    attempts: int

@dataclass(eq=False)
class IcebergVersionsError(DeltaSqlError):
    table: str
    keys: str

@dataclass(eq=False)
class IcebergMappingError(DeltaSqlError):
    table: str
    version: str
    mode: str

@dataclass(eq=False)
class IcebergVectorsError(DeltaSqlError):
    table: str
    version: str

@dataclass(eq=False)
class IcebergTypeError(DeltaSqlError):
    table: str
    version: str
    column: str
    type: str
    reason: str
    key: str

@dataclass(eq=False)
class IcebergWideningError(DeltaSqlError):
    table: str
    version: str
    column: str
    old: str
    new: str

@dataclass(eq=False)
class IcebergFilesError(DeltaSqlError):
    count: int
    table: str
    version: str

@dataclass(eq=False)
class IcebergVersionError(DeltaSqlError):
    version: int

@dataclass(eq=False)
class UniversalFormatError(DeltaSqlError):
    table: str
    formats: str = ...

@dataclass(eq=False)
class IcebergPartitionsError(DeltaSqlError):
    table: str
    version: str
    old: str
    new: str

@dataclass(eq=False)
class IcebergStatisticsError(DeltaSqlError):
    path: str
    table: str
    version: str

@dataclass(eq=False)
class IcebergIdError(DeltaSqlError):
    table: str
    column: str

@dataclass(eq=False)
class ConversionError(DeltaSqlError):
    table: str
    version: int
    format: str
    reason: str

@dataclass(eq=False)
class IcebergWritersError(DeltaSqlError):
    table: str
    attempts: int

@dataclass(eq=False)
class MissingIcebergLibraryError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class MissingIcebergReaderError(MissingIcebergLibraryError): ...

@dataclass(eq=False)
class IcebergSourceError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class NoIcebergTableError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class StorageError(DeltaSqlError):
    action: str
    path: str
    reason: str

@dataclass(eq=False)
class StorageUnavailableError(StorageError):
    tries: int
    seconds: int

@dataclass(eq=False)
class UnsafeStoreError(DeltaSqlError):
    store: str
    finding: str

@dataclass(eq=False)
class OverwrittenCommitError(DeltaSqlError):
    path: str
    store: str

@dataclass(eq=False)
class AmbiguousWriteError(DeltaSqlError):
    path: str
    reason: str

@dataclass(eq=False)
class ConditionalPutError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class UnsupportedLocationError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class NotADeltaTableError(DeltaSqlError):
    table: str
    location: str

@dataclass(eq=False)
class LogFileNotFoundError(DeltaSqlError):
    table: str
    path: str

@dataclass(eq=False)
class TruncatedLogError(DeltaSqlError):
    table: str
    location: str
    version: int
    earliest: int

@dataclass(eq=False)
class LogGapError(DeltaSqlError):
    table: str
    location: str
    missing: int
    missing_file: str

@dataclass(eq=False)
class StateRecoverError(DeltaSqlError):
    table: str
    version: int
    action: str

@dataclass(eq=False)
class InvalidLogJsonError(DeltaSqlError):
    table: str
    path: str
    line: int
    reason: str

@dataclass(eq=False)
class InvalidMetadataError(DeltaSqlError):
    table: str
    path: str
    reason: str

@dataclass(eq=False)
class InvalidCompactionError(DeltaSqlError):
    table: str
    path: str
    reason: str

@dataclass(eq=False)
class InvalidCheckpointError(DeltaSqlError):
    table: str
    path: str
    reason: str

@dataclass(eq=False)
class CheckpointMismatchError(DeltaSqlError):
    table: str
    version: int
    written: int
    live: int

@dataclass(eq=False)
class MissingCommitTimestampError(DeltaSqlError):
    table: str
    version: int

@dataclass(eq=False)
class DuplicateActionsError(DeltaSqlError):
    table: str
    kind: str
    key: str
    reason: str

@dataclass(eq=False)
class DuplicateDomainError(DeltaSqlError):
    table: str
    domain: str

@dataclass(eq=False)
class DomainMetadataNotSupportedError(DeltaSqlError):
    table: str
    domain: str

@dataclass(eq=False)
class InvalidCommitError(DeltaSqlError):
    table: str
    reason: str

@dataclass(eq=False)
class CommitRetriesExceededError(DeltaSqlError):
    table: str
    attempts: int
    version: int

@dataclass(eq=False)
class InvalidDeletionVectorError(DeltaSqlError):
    vector: str
    reason: str

@dataclass(eq=False)
class DeletionVectorNotFoundError(InvalidDeletionVectorError): ...

@dataclass(eq=False)
class DataFileNotFoundError(DeltaSqlError):
    kind: str
    path: str
    table: str
    version: int

@dataclass(eq=False)
class SourceFileNotFoundError(DataFileNotFoundError): ...

@dataclass(eq=False)
class VacuumedFileError(DataFileNotFoundError): ...

@dataclass(eq=False)
class VacuumedVersionError(DeltaSqlError):
    table: str
    version: int
    count: int
    files: tuple[str, ...]

@dataclass(eq=False)
class LostDataFileError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class UnreadableDataFileError(DeltaSqlError):
    path: str
    reason: str

@dataclass(eq=False)
class RowIdsWithoutStatisticsError(DeltaSqlError):
    table: str
    path: str

@dataclass(eq=False)
class PartitionTextError(DeltaSqlError):
    value: str
    column: str
    type: str
    table: str

@dataclass(eq=False)
class InvalidSchemaJsonError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class InternalColumnNameError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class NotNullNestedFieldError(DeltaSqlError):
    column: str
    parent: str

@dataclass(eq=False)
class NestedNotNullError(DeltaSqlError):
    kind: str
    column: str

@dataclass(eq=False)
class MergeFieldsError(DeltaSqlError):
    column: str
    table_type: str
    data_type: str
    reason: str

@dataclass(eq=False)
class MergeTypesError(DeltaSqlError):
    table_type: str
    data_type: str

@dataclass(eq=False)
class MergeDecimalsError(DeltaSqlError):
    table_type: str
    data_type: str
    difference: str

@dataclass(eq=False)
class InvalidColumnNameError(DeltaSqlError):
    where: str
    columns: Collection[str]

@dataclass(eq=False)
class InvalidPartitionColumnNameError(DeltaSqlError):
    where: str
    columns: Collection[str]

@dataclass(eq=False)
class ShapesWithoutSystemError(DeltaSqlError):
    where: str
    columns: Collection[str]

@dataclass(eq=False)
class UnsupportedTypesError(DeltaSqlError):
    where: str
    columns: Collection[str]

@dataclass(eq=False)
class UnknownTypesError(DeltaSqlError):
    table: str
    columns: Collection[str]

@dataclass(eq=False)
class UnknownTypeNameError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class ColumnMetadataError(DeltaSqlError):
    key: str
    column: str
    table: str
    value: str
    wanted: str

@dataclass(eq=False)
class HiddenColumnNameError(DeltaSqlError):
    column: str
    table: str
    prefix: str

@dataclass(eq=False)
class PartitionColumnNotFoundError(DeltaSqlError):
    column: str
    where: str
    hint: str
    candidates: Collection[str]

@dataclass(eq=False)
class InvalidPartitionColumnTypeError(DeltaSqlError):
    where: str
    column: str
    type: str

@dataclass(eq=False)
class AllColumnsPartitionError(DeltaSqlError):
    where: str
    columns: Collection[str]

@dataclass(eq=False)
class IdentityPartitionError(DeltaSqlError):
    where: str
    column: str

@dataclass(eq=False)
class ChangeDataColumnsError(DeltaSqlError):
    where: str
    columns: Collection[str]

@dataclass(eq=False)
class UnresolvedColumnError(DeltaSqlError):
    column: str
    advice: str

@dataclass(eq=False)
class VariablePlaceError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class VariableScopeError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class QualifiedVariableError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class ReplacedVariableError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class DuplicateVariableError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class VariableExistsError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class DropVariableError(DeltaSqlError): ...

@dataclass(eq=False)
class ConditionPlaceError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class DuplicateConditionError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class InvalidSqlStateError(DeltaSqlError):
    state: str

@dataclass(eq=False)
class CursorPlaceError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class CursorExistsError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class CursorNotFoundError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class CursorNotOpenError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class CursorOpenError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class NoMoreRowsError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class HandlerPlaceError(DeltaSqlError): ...

@dataclass(eq=False)
class HandlerCombinationError(DeltaSqlError): ...

@dataclass(eq=False)
class DuplicateTriggerError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class DuplicateHandlerError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class LabelNotFoundError(DeltaSqlError):
    statement: str
    label: str

@dataclass(eq=False)
class IterateBlockError(DeltaSqlError):
    label: str

@dataclass(eq=False)
class LabelsMismatchError(DeltaSqlError):
    begin: str
    end: str

@dataclass(eq=False)
class EndLabelError(DeltaSqlError):
    label: str

@dataclass(eq=False)
class LabelExistsError(DeltaSqlError):
    label: str

@dataclass(eq=False)
class LabelForbiddenError(DeltaSqlError):
    label: str

@dataclass(eq=False)
class NotBooleanError(DeltaSqlError):
    expression: str
    found: str

@dataclass(eq=False)
class NoHandlerActiveError(DeltaSqlError):
    statement: str

@dataclass(eq=False)
class ScriptPhasesError(DeltaSqlError): ...

@dataclass(eq=False)
class UnknownCommandMessageError(DeltaSqlError):
    kind: str

@dataclass(eq=False)
class HandleNotFoundError(DeltaSqlError):
    what: str

@dataclass(eq=False)
class StatementCanceledError(DeltaSqlError):
    outcome: str

@dataclass(eq=False)
class StatementTimeoutError(DeltaSqlError):
    outcome: str

@dataclass(eq=False)
class SessionGoneError(DeltaSqlError): ...

@dataclass(eq=False)
class UnsupportedIngestError(DeltaSqlError):
    what: str

@dataclass(eq=False)
class TooManyBytesError(DeltaSqlError):
    limit: int

@dataclass(eq=False)
class AuthenticationError(DeltaSqlError):
    how: str

@dataclass(eq=False)
class ServerNeedsTokenError(UsageError):
    host: str
    variable: str

@dataclass(eq=False)
class ServerStartError(UsageError):
    place: str
    reason: str

@dataclass(eq=False)
class ServerPackageMissingError(UsageError):
    package: str

@dataclass(eq=False)
class WarehousePackageMissingError(UsageError):
    package: str

@dataclass(eq=False)
class LanguageServerPackageMissingError(UsageError):
    package: str

@dataclass(eq=False)
class EmptySourceError(DeltaSqlError):
    location: str

@dataclass(eq=False)
class SourceFileError(DeltaSqlError):
    path: str
    reason: str

@dataclass(eq=False)
class UnknownParquetTypeError(DeltaSqlError):
    path: str
    column: str
    type: str

@dataclass(eq=False)
class SourceSchemaError(DeltaSqlError):
    path: str
    column: str
    type: str
    others: str

@dataclass(eq=False)
class PartitionCountError(DeltaSqlError):
    path: str
    expected_count: int
    expected: str
    found_count: int
    found: str

@dataclass(eq=False)
class PartitionNameError(DeltaSqlError):
    path: str
    expected: str
    found: str

@dataclass(eq=False)
class SourcePartitionValueError(DeltaSqlError):
    value: str
    column: str
    type: str
    path: str

@dataclass(eq=False)
class MappedSourceError(DeltaSqlError):
    mode: str

@dataclass(eq=False)
class UncountedRowsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class NestedTableError(DeltaSqlError):
    location: str
    relation: str
    table: str

@dataclass(eq=False)
class DeltaOnlyError(DeltaSqlError):
    table: str
    format: str
    operation: str

@dataclass(eq=False)
class SourceOperationError(DeltaSqlError):
    operation: str
    table: str
    format: str
    advice: str

@dataclass(eq=False)
class UnknownColumnsError(DeltaSqlError):
    table: str
    format: str
    reason: str

@dataclass(eq=False)
class DeltaLocationError(DeltaSqlError):
    location: str
    format: str

@dataclass(eq=False)
class PartitionsWithoutColumnsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class PartitionFoldersError(DeltaSqlError):
    location: str
    first: str
    second: str

@dataclass(eq=False)
class TextColumnsError(DeltaSqlError):
    table: str
    columns: str

@dataclass(eq=False)
class IcebergReadError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class FileArgumentError(DeltaSqlError):
    function: str
    argument: str
    reason: str

@dataclass(eq=False)
class UnknownFileOptionError(DeltaSqlError):
    format: str
    keys: tuple[str, ...]
    advice: str

@dataclass(eq=False)
class UnknownFileFormatError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class NoFilesError(DeltaSqlError):
    location: str

@dataclass(eq=False)
class FilesOfTableError(DeltaSqlError):
    location: str

@dataclass(eq=False)
class RescuedLinesError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class CloneUnsupportedSourceError(DeltaSqlError):
    source: str
    kind: str

@dataclass(eq=False)
class CloneOfDeltaFolderError(DeltaSqlError):
    source: str
    table: str

@dataclass(eq=False)
class ClonePartitionsError(DeltaSqlError):
    source: str
    columns: str

@dataclass(eq=False)
class CloneVersionError(DeltaSqlError):
    source: str

@dataclass(eq=False)
class CloneSameTableError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class CloneAmbiguousTargetError(DeltaSqlError):
    table: str
    location: str

@dataclass(eq=False)
class InvalidClonePathError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class CloneColumnMappingError(DeltaSqlError):
    source: str
    before: str
    after: str

@dataclass(eq=False)
class CloneWithoutStatisticsError(DeltaSqlError):
    source: str
    path: str

@dataclass(eq=False)
class NestedDefaultError(DeltaSqlError):
    column: str
    owner: str

@dataclass(eq=False)
class ColumnClauseError(DeltaSqlError):
    clause: str
    column: str
    statement: str
    advice: str

@dataclass(eq=False)
class ReplaceIdentityColumnsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class NewNotNullViolationError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class DropClusteringColumnError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class ColumnNotFoundError(DeltaSqlError):
    column: str
    where: str
    hint: str
    candidates: Collection[str]

@dataclass(eq=False)
class FieldNotFoundError(DeltaSqlError):
    field: str
    struct: str
    hint: str
    candidates: Collection[str]

@dataclass(eq=False)
class ArrayAccessByNameError(DeltaSqlError):
    column: str
    field: str
    advice: str

@dataclass(eq=False)
class MapAccessByNameError(DeltaSqlError):
    column: str
    field: str
    key: str
    value: str

@dataclass(eq=False)
class AddColumnParentNotStructError(DeltaSqlError):
    column: str
    parent: str
    type: str

@dataclass(eq=False)
class AddColumnStructNotFoundError(DeltaSqlError):
    column: str
    parent: str
    hint: str

@dataclass(eq=False)
class FieldAlreadyExistsError(DeltaSqlError):
    operation: str
    column: str
    where: str
    existing: str

@dataclass(eq=False)
class AddNotNullColumnError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class AddColumnDefaultError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class DropFromNonStructError(DeltaSqlError):
    column: str
    parent: str
    type: str

@dataclass(eq=False)
class DropOnlyColumnError(DeltaSqlError):
    column: str
    parent: str

@dataclass(eq=False)
class CommentOnElementError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class ChangeColumnError(DeltaSqlError):
    column: str
    old: str
    new: str
    reason: str

@dataclass(eq=False)
class ChangeElementError(DeltaSqlError):
    column: str
    change: str

@dataclass(eq=False)
class ReplaceColumnsError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class AmbiguousChangeError(DeltaSqlError):
    column: str
    added: Collection[str]
    dropped: Collection[str]

@dataclass(eq=False)
class CannotUpdateStructError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class CannotUpdateArrayError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class CannotUpdateMapError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class NotAStructError(DeltaSqlError):
    field: str
    column: str
    type: str

@dataclass(eq=False)
class CannotChangeTypeError(DeltaSqlError):
    column: str
    old: str
    new: str

@dataclass(eq=False)
class RenameColumnNeedsMappingError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class DropColumnNeedsMappingError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class DropPartitionColumnError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class ConstraintDependentColumnError(DeltaSqlError):
    operation: str
    column: str
    constraint: str
    expression: str
    advice: str
    kind: str = ...

@dataclass(eq=False)
class ConstraintTypeMismatchError(DeltaSqlError):
    column: str
    old: str
    new: str
    constraint: str
    expression: str
    table: str

@dataclass(eq=False)
class NewCheckViolationError(DeltaSqlError):
    constraint: str
    table: str
    expression: str

@dataclass(eq=False)
class ConstraintExistsError(DeltaSqlError):
    table: str
    constraint: str
    definition: str

@dataclass(eq=False)
class ConstraintNotFoundError(DeltaSqlError):
    table: str
    constraint: str

@dataclass(eq=False)
class NonBooleanConstraintError(DeltaSqlError):
    constraint: str
    expression: str
    type: str

@dataclass(eq=False)
class CheckExpressionError(DeltaSqlError):
    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = ...

@dataclass(eq=False)
class CheckAggregateError(DeltaSqlError):
    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = ...

@dataclass(eq=False)
class CheckNotDeterministicError(DeltaSqlError):
    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = ...

@dataclass(eq=False)
class CheckFunctionError(DeltaSqlError):
    part: str
    constraint: str
    expression: str
    advice: str
    kind: str = ...

@dataclass(eq=False)
class ConstraintDeclaredTwiceError(DeltaSqlError):
    table: str
    constraint: str
    definition: str

@dataclass(eq=False)
class UniqueConstraintError(DeltaSqlError): ...

@dataclass(eq=False)
class MultiplePrimaryKeysError(DeltaSqlError):
    table: str
    constraint: str
    definition: str
    advice: str

@dataclass(eq=False)
class PrimaryKeyNullableError(DeltaSqlError):
    column: str
    table: str
    advice: str

@dataclass(eq=False)
class KeyDefinitionError(DeltaSqlError):
    kind: str
    table: str
    reason: str

@dataclass(eq=False)
class ForeignKeyMismatchError(DeltaSqlError):
    columns: str
    table: str
    parent: str
    reason: str

@dataclass(eq=False)
class PrimaryKeyReferencedError(DeltaSqlError):
    operation: str
    keys: str
    advice: str

@dataclass(eq=False)
class KeyNotFoundError(DeltaSqlError):
    table: str
    key: str
    kind: str

@dataclass(eq=False)
class KeyOptionError(DeltaSqlError):
    characteristic: str
    kind: str
    reason: str

@dataclass(eq=False)
class KeyOptionsConflictError(DeltaSqlError):
    characteristic: str
    other: str

@dataclass(eq=False)
class NonParquetSourceError(DeltaSqlError):
    source: str

@dataclass(eq=False)
class MissingProviderError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class IcebergPartitionedByError(DeltaSqlError): ...

@dataclass(eq=False)
class SourceFormatError(DeltaSqlError):
    format: str
    formats: tuple[str, ...]
    advice: str = ...

@dataclass(eq=False)
class DeltaSourceError(DeltaSqlError):
    location: str
    table: str

@dataclass(eq=False)
class CopySchemaMismatchError(DeltaSqlError):
    table: str
    columns: tuple[str, ...]
    advice: str

@dataclass(eq=False)
class CopyArityError(DeltaSqlError):
    table: str
    expected: int
    columns: tuple[str, ...]
    given: int

@dataclass(eq=False)
class ByPositionError(DeltaSqlError):
    clause: str
    advice: str

@dataclass(eq=False)
class CopyOwnColumnError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class CopyCredentialError(DeltaSqlError):
    scheme: str
    keys: tuple[str, ...]
    advice: str

@dataclass(eq=False)
class NamedCredentialError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class CopyEncryptionError(DeltaSqlError): ...

@dataclass(eq=False)
class CopyStateError(DeltaSqlError):
    table: str
    reason: str

@dataclass(eq=False)
class SourceNotFoundError(DeltaSqlError):
    location: str
    reason: str

@dataclass(eq=False)
class SourceLocationError(UnsupportedLocationError): ...

@dataclass(eq=False)
class GlobError(DeltaSqlError):
    glob: str
    reason: str

@dataclass(eq=False)
class CopyOptionError(DeltaSqlError):
    key: str
    value: str
    advice: str

@dataclass(eq=False)
class AvroReaderMissingError(DeltaSqlError):
    version: str

@dataclass(eq=False)
class CsvHeaderError(DeltaSqlError): ...

@dataclass(eq=False)
class FeatureIsPropertyError(DeltaSqlError):
    table: str
    feature: str

@dataclass(eq=False)
class UnknownFeatureToDropError(DeltaSqlError):
    table: str
    feature: str
    hint: str

@dataclass(eq=False)
class FeatureNotPresentError(DeltaSqlError):
    table: str
    feature: str
    present: str

@dataclass(eq=False)
class FeatureNotRemovableError(DeltaSqlError):
    table: str
    feature: str
    removable: str

@dataclass(eq=False)
class DependentFeaturesError(DeltaSqlError):
    table: str
    feature: str
    dependents: str

@dataclass(eq=False)
class TruncationNotAllowedError(DeltaSqlError):
    table: str
    feature: str

@dataclass(eq=False)
class ProtectionNeedsTruncationError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class WaitForRetentionError(DeltaSqlError):
    table: str
    feature: str
    retention: str

@dataclass(eq=False)
class HistoricalVersionsError(DeltaSqlError):
    table: str
    feature: str
    retention: str

@dataclass(eq=False)
class ProtectedVersionsError(DeltaSqlError):
    table: str
    version: int
    retention: str

@dataclass(eq=False)
class DropCheckpointError(DeltaSqlError):
    table: str
    version: int
    reason: str

@dataclass(eq=False)
class ConstraintsLeftError(DeltaSqlError):
    table: str
    constraints: str

@dataclass(eq=False)
class FeatureInUseError(DeltaSqlError):
    table: str
    feature: str

@dataclass(eq=False)
class ShapesLeftError(DeltaSqlError):
    table: str
    columns: str

@dataclass(eq=False)
class CollationsLeftError(DeltaSqlError):
    table: str
    feature: str
    columns: str

@dataclass(eq=False)
class MappedColumnNamesError(DeltaSqlError):
    table: str
    columns: str

@dataclass(eq=False)
class InvalidProtocolVersionError(DeltaSqlError):
    table: str
    reader: int
    writer: int

@dataclass(eq=False)
class UnsupportedReadFeaturesError(DeltaSqlError):
    table: str
    features: Collection[str]

@dataclass(eq=False)
class UnsupportedWriteFeaturesError(DeltaSqlError):
    table: str
    features: Collection[str]

@dataclass(eq=False)
class UnsupportedTypeChangeError(DeltaSqlError):
    table: str
    column: str
    old: str
    new: str

@dataclass(eq=False)
class ReadFeaturesNeedWriterVersionError(DeltaSqlError):
    reader: int
    writer: int

@dataclass(eq=False)
class UnknownFeaturesError(DeltaSqlError):
    features: Collection[str]
    hint: str

@dataclass(eq=False)
class CatalogManagedError(UnsupportedReadFeaturesError): ...

@dataclass(eq=False)
class ManagedElsewhereError(UnsupportedWriteFeaturesError): ...

@dataclass(eq=False)
class ManagedTimestampsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ProtocolDowngradeError(DeltaSqlError):
    table: str
    reader: int
    writer: int
    new_reader: int
    new_writer: int

@dataclass(eq=False)
class FrameSchemaMismatchError(DeltaSqlError):
    table: str
    columns: tuple[str, ...]
    advice: str

@dataclass(eq=False)
class FramePartitioningMismatchError(DeltaSqlError):
    table: str
    existing: tuple[str, ...]
    given: tuple[str, ...]

@dataclass(eq=False)
class PathExistsError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class IllegalOptionError(DeltaSqlError):
    option: str
    value: str
    expected: str

@dataclass(eq=False)
class InvalidIdempotentWriteError(DeltaSqlError):
    app_id: str
    version: str
    reason: str

@dataclass(eq=False)
class OverwriteSchemaDynamicError(DeltaSqlError): ...

@dataclass(eq=False)
class ReplaceWhereDynamicError(DeltaSqlError): ...

@dataclass(eq=False)
class IncompatibleOptionsError(DeltaSqlError):
    first: str
    second: str

@dataclass(eq=False)
class ReplaceByFilterError(DeltaSqlError):
    option: str

@dataclass(eq=False)
class ReplaceDynamicError(DeltaSqlError):
    option: str

@dataclass(eq=False)
class ReplaceByDefinitionError(DeltaSqlError):
    option: str

@dataclass(eq=False)
class ReplaceInNothingError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class DataChangeFalseError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ReplaceWhereDataChangeError(DeltaSqlError):
    predicate: str

@dataclass(eq=False)
class UnsupportedWriteError(DeltaSqlError):
    what: str
    advice: str

@dataclass(eq=False)
class UnsupportedRowsError(DeltaSqlError):
    given: str
    reason: str

@dataclass(eq=False)
class NotADataFrameError(UsageError):
    given: str
    advice: str

@dataclass(eq=False)
class InvalidSaveModeError(DeltaSqlError):
    mode: str

@dataclass(eq=False)
class OutputModeError(DeltaSqlError):
    mode: str

@dataclass(eq=False)
class VoidInStreamError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class InvalidVersionOptionError(DeltaSqlError):
    value: str

@dataclass(eq=False)
class ReadOptionsError(DeltaSqlError):
    first: str
    second: str

@dataclass(eq=False)
class ChangeBoundariesError(DeltaSqlError):
    first: str
    second: str
    verb: str

@dataclass(eq=False)
class MissingStartError(DeltaSqlError): ...

@dataclass(eq=False)
class UnsupportedReadSchemaError(DeltaSqlError): ...

@dataclass(eq=False)
class MissingPathError(DeltaSqlError): ...

@dataclass(eq=False)
class UnsupportedColumnError(DeltaSqlError):
    column: str
    reason: str

@dataclass(eq=False)
class ForeignColumnError(DeltaSqlError):
    column: str
    frame: str

@dataclass(eq=False)
class ForeignFunctionError(DeltaSqlError):
    function: str
    language: str
    advice: str

@dataclass(eq=False)
class FunctionAlreadyExistsError(DeltaSqlError):
    function: str

@dataclass(eq=False)
class FunctionNotFoundError(DeltaSqlError):
    function: str
    advice: str

@dataclass(eq=False)
class UnknownFunctionError(DeltaSqlError):
    function: str

@dataclass(eq=False)
class DropSparksFunctionError(DeltaSqlError):
    function: str
    advice: str

@dataclass(eq=False)
class RecursiveFunctionError(DeltaSqlError):
    cycle: str

@dataclass(eq=False)
class FunctionModeError(DeltaSqlError): ...

@dataclass(eq=False)
class TemporaryFunctionNameError(DeltaSqlError):
    function: str
    advice: str

@dataclass(eq=False)
class PythonClauseError(DeltaSqlError):
    function: str
    reason: str
    advice: str

@dataclass(eq=False)
class PythonSyntaxError(DeltaSqlError):
    function: str
    line: int
    reason: str

@dataclass(eq=False)
class PythonResultError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class PythonHandlerError(DeltaSqlError):
    function: str
    reason: str

@dataclass(eq=False)
class PythonPackagesError(DeltaSqlError):
    function: str
    packages: tuple[str, ...]
    command: str

@dataclass(eq=False)
class PythonFunctionFailedError(DeltaSqlError):
    function: str
    line: int
    reason: str

@dataclass(eq=False)
class UnsupportedFunctionError(DeltaSqlError):
    function: str
    advice: str

@dataclass(eq=False)
class SecretNotFoundError(DeltaSqlError):
    scope: str
    key: str
    variable: str

@dataclass(eq=False)
class SecretArgumentError(DeltaSqlError):
    function: str
    argument: str

@dataclass(eq=False)
class SecretsFileError(DeltaSqlError):
    variable: str
    reason: str

@dataclass(eq=False)
class ManifestModeError(DeltaSqlError):
    mode: str

@dataclass(eq=False)
class ManifestVectorsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class MappedManifestError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ManifestPropertiesError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ManifestExistingVectorsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class GovernanceRefusedError(DeltaSqlError):
    operation: str

@dataclass(eq=False)
class SecurableNotFoundError(DeltaSqlError):
    securable: str
    advice: str

@dataclass(eq=False)
class SecurableExistsError(DeltaSqlError):
    securable: str

@dataclass(eq=False)
class InvalidPrivilegeError(DeltaSqlError):
    privilege: str
    kind: str
    advice: str

@dataclass(eq=False)
class UnsupportedSecurableError(DeltaSqlError):
    securable: str
    advice: str

@dataclass(eq=False)
class PolicyFunctionError(DeltaSqlError):
    function: str
    policy: str
    table: str
    reason: str
    advice: str

@dataclass(eq=False)
class PolicyColumnError(DeltaSqlError):
    column: str
    table: str
    change: str
    policy: str
    drop: str

@dataclass(eq=False)
class LostPolicyColumnError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class PolicyTableError(DeltaSqlError):
    operation: str
    table: str
    advice: str = ...

@dataclass(eq=False)
class SecurableClauseError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class MixedDefaultsError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class DuplicateInsertColumnError(DeltaSqlError):
    column: str
    reason: str = ...

@dataclass(eq=False)
class TooFewInsertColumnsError(DeltaSqlError):
    table: str
    expected: int
    columns: tuple[str, ...]
    given: int
    advice: str = ...

@dataclass(eq=False)
class TooManyInsertColumnsError(DeltaSqlError):
    table: str
    expected: int
    columns: tuple[str, ...]
    given: int

@dataclass(eq=False)
class UnknownInsertColumnError(DeltaSqlError):
    column: str
    table: str
    columns: tuple[str, ...]
    advice: str = ...

@dataclass(eq=False)
class MissingNotNullColumnError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class StaticPartitionInListError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class ReplaceClauseError(DeltaSqlError):
    replaces: str
    clause: str

@dataclass(eq=False)
class ReplaceWhereAliasError(DeltaSqlError):
    alias: str

@dataclass(eq=False)
class MisalignedReplaceUsingError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class AmbiguousReplaceOnError(DeltaSqlError):
    column: str
    example: str

@dataclass(eq=False)
class UnresolvedReplaceOnError(DeltaSqlError):
    column: str
    columns: tuple[str, ...]

@dataclass(eq=False)
class ReplaceViolationError(DeltaSqlError):
    clause: str
    violation: str

@dataclass(eq=False)
class ReplaceWhereMismatchError(DeltaSqlError):
    predicate: str
    values: str

@dataclass(eq=False)
class ShowPartitionsUnpartitionedError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ShowCreateBuiltInViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class ShowCreateViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class ShowPartitionsOfViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class DescribeViewDetailError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class DescribeViewHistoryError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class NotAPartitionColumnError(DeltaSqlError):
    column: str
    table: str
    columns: str

@dataclass(eq=False)
class PartitionWithoutValueError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class PartitionNotFoundError(DeltaSqlError):
    table: str
    partition: str

@dataclass(eq=False)
class JsonNotExtendedError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class JsonOfColumnError(DeltaSqlError):
    table: str
    column: str

@dataclass(eq=False)
class StatementAsTableError(DeltaSqlError):
    statement: str

@dataclass(eq=False)
class MultipleSourceRowsError(DeltaSqlError):
    table: str
    keys: str

@dataclass(eq=False)
class MergeMissingWhenError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class MergeIntoEmptySchemaError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class NestedInsertColumnError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class UnconditionalMatchedError(DeltaSqlError): ...

@dataclass(eq=False)
class UnconditionalNotMatchedError(DeltaSqlError): ...

@dataclass(eq=False)
class UnconditionalBySourceError(DeltaSqlError): ...

@dataclass(eq=False)
class NonPartitionPredicateError(DeltaSqlError):
    column: str
    table: str
    partitions: str

@dataclass(eq=False)
class PartitionPredicateError(DeltaSqlError):
    table: str
    predicate: str

@dataclass(eq=False)
class ZOrderColumnNotFoundError(DeltaSqlError):
    table: str
    column: str
    columns: tuple[str, ...]

@dataclass(eq=False)
class ZOrderPartitionColumnError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class ZOrderWithoutStatsError(DeltaSqlError):
    table: str
    columns: tuple[str, ...]

@dataclass(eq=False)
class ZOrderColumnTypeError(DeltaSqlError):
    table: str
    column: str
    type: str

@dataclass(eq=False)
class OptimizeFullError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ClusteringWithPredicateError(DeltaSqlError):
    table: str
    predicate: str

@dataclass(eq=False)
class ClusteringWithZOrderError(DeltaSqlError):
    table: str
    columns: tuple[str, ...]

@dataclass(eq=False)
class ClusteringColumnCountError(DeltaSqlError):
    table: str
    limit: int
    number: int

@dataclass(eq=False)
class ClusteringTypeError(DeltaSqlError):
    column: str
    type: str

@dataclass(eq=False)
class ClusteringWithoutStatsError(DeltaSqlError):
    table: str
    columns: tuple[str, ...]
    indexed: tuple[str, ...]

@dataclass(eq=False)
class ClusterPartitionedTableError(DeltaSqlError):
    table: str
    columns: tuple[str, ...]

@dataclass(eq=False)
class ReplaceClusteredError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class CreatedClusteringDiffersError(DeltaSqlError):
    location: str
    declared: str
    existing: str

@dataclass(eq=False)
class PipelineFileError(DeltaSqlError):
    path: str
    reason: str
    advice: str

@dataclass(eq=False)
class EmptyPipelineError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class PipelinePythonError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class PipelineStatementError(DeltaSqlError):
    statement: str

@dataclass(eq=False)
class DoubledDatasetError(DeltaSqlError):
    kind: str
    name: str
    place: str

@dataclass(eq=False)
class DatasetWithoutFlowError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class FlowTargetError(DeltaSqlError):
    table: str
    reason: str
    advice: str

@dataclass(eq=False)
class PipelineCycleError(DeltaSqlError):
    cycle: str

@dataclass(eq=False)
class UnknownDatasetError(DeltaSqlError):
    name: str
    advice: str

@dataclass(eq=False)
class OtherPipelineError(DeltaSqlError):
    table: str
    pipeline: str

@dataclass(eq=False)
class NotOfPipelineError(DeltaSqlError):
    table: str
    kind: str

@dataclass(eq=False)
class FullRefreshDisallowedError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class PipelineIntervalError(DeltaSqlError):
    interval: str

@dataclass(eq=False)
class EventLogError(DeltaSqlError):
    subject: str
    advice: str

@dataclass(eq=False)
class ProcedureNotFoundError(DeltaSqlError):
    procedure: str
    advice: str

@dataclass(eq=False)
class ProcedureAlreadyExistsError(DeltaSqlError):
    procedure: str

@dataclass(eq=False)
class OtherRoutineError(DeltaSqlError):
    routine: str
    kind: str
    keyword: str

@dataclass(eq=False)
class ProcedureModeError(DeltaSqlError): ...

@dataclass(eq=False)
class ProcedureClauseError(DeltaSqlError):
    procedure: str
    clause: str
    advice: str

@dataclass(eq=False)
class DuplicateParameterError(DeltaSqlError):
    parameter: str

@dataclass(eq=False)
class ArgumentCountError(DeltaSqlError):
    procedure: str
    expected: int
    found: int

@dataclass(eq=False)
class MissingArgumentError(DeltaSqlError):
    procedure: str
    parameter: str

@dataclass(eq=False)
class UnknownArgumentError(DeltaSqlError):
    procedure: str
    parameter: str
    advice: str

@dataclass(eq=False)
class DuplicateArgumentError(DeltaSqlError):
    procedure: str
    parameter: str

@dataclass(eq=False)
class PositionalAndNamedArgumentError(DeltaSqlError):
    procedure: str
    parameter: str

@dataclass(eq=False)
class PositionalArgumentError(DeltaSqlError):
    before: str

@dataclass(eq=False)
class OutArgumentError(DeltaSqlError):
    procedure: str
    parameter: str
    mode: str
    expression: str
    type: str

@dataclass(eq=False)
class CallDepthError(DeltaSqlError):
    procedure: str
    depth: int

@dataclass(eq=False)
class CallInBlockError(DeltaSqlError): ...

@dataclass(eq=False)
class FeatureStatusError(DeltaSqlError):
    feature: str
    status: str

@dataclass(eq=False)
class ManualFeaturesError(DeltaSqlError):
    table: str
    features: Collection[str]
    properties: str

@dataclass(eq=False)
class ColumnDefaultsNotEnabledError(DeltaSqlError):
    table: str
    advice: str

@dataclass(eq=False)
class CreateWithClusteringFeatureError(DeltaSqlError):
    feature: str

@dataclass(eq=False)
class AlterWithClusteringFeatureError(DeltaSqlError):
    feature: str

@dataclass(eq=False)
class UnknownPropertyError(DeltaSqlError):
    key: str
    hint: str

@dataclass(eq=False)
class PropertyValueError(DeltaSqlError):
    key: str
    value: str
    legal: str

@dataclass(eq=False)
class IsolationLevelError(DeltaSqlError):
    value: str

@dataclass(eq=False)
class ProtocolPropertyError(DeltaSqlError):
    key: str
    value: str

@dataclass(eq=False)
class ConstraintPropertyError(DeltaSqlError):
    key: str
    name: str

@dataclass(eq=False)
class InternalPropertyError(DeltaSqlError):
    key: str

@dataclass(eq=False)
class ProviderPropertyError(DeltaSqlError): ...

@dataclass(eq=False)
class LocationPropertyError(DeltaSqlError): ...

@dataclass(eq=False)
class ReservedPropertyError(DeltaSqlError):
    key: str

@dataclass(eq=False)
class UnsetMissingPropertyError(DeltaSqlError):
    key: str
    table: str

@dataclass(eq=False)
class PropertyCombinationError(DeltaSqlError):
    table: str
    reason: str

@dataclass(eq=False)
class RowTrackingPropertiesError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ColumnMappingModeError(DeltaSqlError):
    table: str
    before: str
    after: str

@dataclass(eq=False)
class WriteIntoRefreshedError(DeltaSqlError):
    operation: str
    table: str
    kind: str
    words: str

@dataclass(eq=False)
class AsynchronousRefreshError(DeltaSqlError): ...

@dataclass(eq=False)
class StreamingQueryError(DeltaSqlError):
    table: str
    reason: str
    advice: str

@dataclass(eq=False)
class ChangedStreamSourceError(DeltaSqlError):
    source: str
    version: int
    table: str

@dataclass(eq=False)
class StreamInQueryError(DeltaSqlError):
    source: str
    advice: str

@dataclass(eq=False)
class RedeclaredTableError(DeltaSqlError):
    part: str
    table: str

@dataclass(eq=False)
class HiveStatementError(DeltaSqlError):
    operation: str
    table: str
    advice: str

@dataclass(eq=False)
class UnsupportedStatementError(DeltaSqlError):
    operation: str
    advice: str

@dataclass(eq=False)
class SystemTableError(DeltaSqlError):
    operation: str
    advice: str

@dataclass(eq=False)
class PartitionIfNotExistsError(DeltaSqlError):
    operation: str
    advice: str

@dataclass(eq=False)
class InsertIfNotExistsError(DeltaSqlError):
    operation: str
    advice: str

@dataclass(eq=False)
class TruncatePartitionError(DeltaSqlError):
    table: str
    advice: str

@dataclass(eq=False)
class PartitionExpressionError(DeltaSqlError):
    expression: str
    advice: str = ...

@dataclass(eq=False)
class BucketingError(DeltaSqlError):
    clause: str

@dataclass(eq=False)
class DefaultCollationError(DeltaSqlError):
    collation: str

@dataclass(eq=False)
class WrongObjectError(DeltaSqlError):
    statement: str
    wanted: str
    name: str
    found: str
    advice: str

@dataclass(eq=False)
class NothingToAnalyzeError(DeltaSqlError): ...

@dataclass(eq=False)
class RestoreVersionError(DeltaSqlError):
    table: str
    version: int
    earliest: int
    latest: int

@dataclass(eq=False)
class RestoreTimestampEarlierError(DeltaSqlError):
    table: str
    timestamp: str
    earliest: str

@dataclass(eq=False)
class RestoreTimestampGreaterError(DeltaSqlError):
    table: str
    timestamp: str
    latest: str

@dataclass(eq=False)
class RestoreMissingFilesError(DeltaSqlError):
    table: str
    version: int
    count: int
    files: tuple[str, ...]

@dataclass(eq=False)
class ImmediateTextError(DeltaSqlError):
    expression: str
    found: str

@dataclass(eq=False)
class ImmediateIntoError(DeltaSqlError):
    statement: str

@dataclass(eq=False)
class UnnamedParameterError(DeltaSqlError):
    value: str

@dataclass(eq=False)
class DuplicateAliasError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class NestedImmediateError(DeltaSqlError):
    depth: int

@dataclass(eq=False)
class ScriptInImmediateError(DeltaSqlError): ...

@dataclass(eq=False)
class NullImmediateError(DeltaSqlError):
    expression: str

@dataclass(eq=False)
class ImmediateParameterError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class UnboundVariableError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class UnsafeVariableError(DeltaSqlError):
    variable: str
    found: str

@dataclass(eq=False)
class UnknownWidgetError(DeltaSqlError):
    name: str
    advice: str

@dataclass(eq=False)
class InvalidSettingError(DeltaSqlError):
    key: str
    value: str
    expected: str

@dataclass(eq=False)
class UnknownTimeZoneError(DeltaSqlError):
    value: str

@dataclass(eq=False)
class TimeZoneOffsetError(DeltaSqlError):
    interval: str

@dataclass(eq=False)
class UnknownSettingError(DeltaSqlError):
    key: str
    advice: str

@dataclass(eq=False)
class UnknownVersionError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class LastingVersionError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class ParametersError(DeltaSqlError):
    kind: str

@dataclass(eq=False)
class ParameterValueError(DeltaSqlError):
    name: str
    kind: str

@dataclass(eq=False)
class CannotReplaceMissingTableError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class SchemaNotProvidedError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class EmptyQuerySchemaError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ColumnListWithQueryError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class NonEmptyLocationError(DeltaSqlError):
    location: str

@dataclass(eq=False)
class ExternalTableWithoutSchemaError(DeltaSqlError):
    location: str

@dataclass(eq=False)
class ExternalTableWithoutLogError(DeltaSqlError):
    location: str

@dataclass(eq=False)
class CreatedColumnsDifferError(DeltaSqlError):
    location: str
    differences: str

@dataclass(eq=False)
class CreatedPartitioningDiffersError(DeltaSqlError):
    location: str
    declared: tuple[str, ...]
    existing: tuple[str, ...]

@dataclass(eq=False)
class CreatedPropertiesDifferError(DeltaSqlError):
    location: str
    key: str
    declared: str
    existing: str

@dataclass(eq=False)
class LocationMismatchError(DeltaSqlError):
    table: str
    location: str
    existing: str

@dataclass(eq=False)
class SetLocationSchemaError(DeltaSqlError):
    table: str
    location: str
    current: str
    found: str

@dataclass(eq=False)
class SetLocationOfPathError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class AmbiguousLocationError(DeltaSqlError):
    table: str
    location: str

@dataclass(eq=False)
class NotADeltaProviderError(DeltaSqlError):
    provider: str
    table: str

@dataclass(eq=False)
class ReadTableWithoutColumnsError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ExternalWithoutLocationError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class ClusterAndPartitionError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class TemporaryTableError(DeltaSqlError):
    table: str
    operation: str
    advice: str

@dataclass(eq=False)
class TemporaryTableNameError(DeltaSqlError):
    table: str
    advice: str

@dataclass(eq=False)
class TagExistsError(DeltaSqlError):
    owner: str
    key: str
    advice: str
    pair: str

@dataclass(eq=False)
class TagNotFoundError(DeltaSqlError):
    owner: str
    key: str
    known: str

@dataclass(eq=False)
class DuplicateTagError(DeltaSqlError):
    key: str

@dataclass(eq=False)
class NotInTransactionError(DeltaSqlError):
    operation: str
    reason: str
    advice: str = ...

@dataclass(eq=False)
class NestedTransactionError(DeltaSqlError): ...

@dataclass(eq=False)
class SecondTableError(DeltaSqlError):
    first: str
    second: str
    plain: Collection[str]
    advice: str

@dataclass(eq=False)
class SeparateCatalogError(DeltaSqlError):
    first: str
    second: str
    catalog: str
    tables: Collection[str]

@dataclass(eq=False)
class FeedInTransactionError(DeltaSqlError):
    operation: str
    table: str
    reason: str

@dataclass(eq=False)
class StaleStatementError(DeltaSqlError): ...

@dataclass(eq=False)
class ControlInBlockError(DeltaSqlError):
    operation: str

@dataclass(eq=False)
class TransactionAbortedError(DeltaSqlError): ...

@dataclass(eq=False)
class NoTransactionError(DeltaSqlError):
    verb: str

@dataclass(eq=False)
class EmptyBlockError(DeltaSqlError): ...

@dataclass(eq=False)
class RetentionTooShortError(DeltaSqlError):
    table: str
    hours: str
    configured: str

@dataclass(eq=False)
class NegativeRetentionError(DeltaSqlError):
    hours: str

@dataclass(eq=False)
class VacuumLiteError(DeltaSqlError):
    table: str
    needed: int
    earliest: int

@dataclass(eq=False)
class InventorySchemaError(DeltaSqlError):
    columns: str

@dataclass(eq=False)
class VacuumPartitionError(DeltaSqlError):
    path: str
    root: str

@dataclass(eq=False)
class ViewAlreadyExistsError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class ViewNotFoundError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class TimeTravelViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class WriteIntoViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class ViewInPlaceOfTableError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class TemporaryReferenceError(DeltaSqlError):
    name: str
    kind: str
    reference: str
    advice: str

@dataclass(eq=False)
class StoredParameterError(DeltaSqlError):
    name: str
    marker: str

@dataclass(eq=False)
class UnnamedViewColumnError(DeltaSqlError):
    view: str
    expression: str

@dataclass(eq=False)
class ViewInPlaceError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class CatalogNameTakenError(DeltaSqlError):
    view: str
    kind: str

@dataclass(eq=False)
class TemporaryViewNameError(DeltaSqlError):
    view: str
    advice: str

@dataclass(eq=False)
class RecursiveViewError(DeltaSqlError):
    view: str
    cycle: str

@dataclass(eq=False)
class DuplicateViewColumnError(DeltaSqlError):
    view: str
    column: str

@dataclass(eq=False)
class ViewArityError(DeltaSqlError):
    view: str
    named: int
    given: int
    columns: tuple[str, ...]

@dataclass(eq=False)
class ViewSchemaChangedError(DeltaSqlError):
    view: str
    change: str
    statement: str

@dataclass(eq=False)
class AlterTemporaryViewError(DeltaSqlError):
    view: str
    clause: str

@dataclass(eq=False)
class AlteredViewNotFoundError(ViewNotFoundError): ...

@dataclass(eq=False)
class IfNotExistsAndReplaceError(DeltaSqlError): ...

@dataclass(eq=False)
class AlterViewOfTableError(DeltaSqlError):
    statement: str
    table: str
    kind: str
    advice: str

@dataclass(eq=False)
class UnwritableViewError(DeltaSqlError):
    operation: str
    view: str

@dataclass(eq=False)
class PartialViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class RenamingViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class VersionViewError(DeltaSqlError):
    view: str

@dataclass(eq=False)
class GeneratedBehindViewError(DeltaSqlError):
    operation: str
    view: str
    table: str

@dataclass(eq=False)
class ViewColumnsChangedError(DeltaSqlError):
    view: str
    columns: tuple[str, ...]

@dataclass(eq=False)
class HiddenColumnError(DeltaSqlError):
    column: str
    view: str

@dataclass(eq=False)
class MetricViewError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class MetricViewStatementError(DeltaSqlError):
    reason: str

@dataclass(eq=False)
class UnknownMeasureError(DeltaSqlError):
    measure: str
    advice: str

@dataclass(eq=False)
class VolumeNotFoundError(DeltaSqlError):
    volume: str
    advice: str
    similar: tuple[str, ...] = ...

@dataclass(eq=False)
class VolumeAlreadyExistsError(DeltaSqlError):
    volume: str

@dataclass(eq=False)
class VolumePathError(DeltaSqlError):
    path: str
    reason: str

@dataclass(eq=False)
class VolumeClauseError(DeltaSqlError):
    clause: str
    reason: str

@dataclass(eq=False)
class VolumeFileNotFoundError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class VolumeFileExistsError(DeltaSqlError):
    path: str

@dataclass(eq=False)
class LocalFileError(DeltaSqlError):
    statement: str
    path: str
    reason: str

@dataclass(eq=False)
class StreamStartsError(DeltaSqlError): ...

@dataclass(eq=False)
class TimeTravelStreamError(DeltaSqlError):
    option: str

@dataclass(eq=False)
class SourceDeleteError(DeltaSqlError):
    table: str
    version: int
    file: str

@dataclass(eq=False)
class SourceChangeError(DeltaSqlError):
    table: str
    version: int
    operation: str

@dataclass(eq=False)
class SchemaChangedError(DeltaSqlError):
    table: str
    version: int
    reason: str

@dataclass(eq=False)
class IncompatibleStreamSchemaError(DeltaSqlError):
    table: str
    version: int
    reason: str

@dataclass(eq=False)
class DifferentTableError(DeltaSqlError):
    table: str
    old: str
    new: str

@dataclass(eq=False)
class StreamDataLossError(DeltaSqlError):
    table: str
    version: int
    earliest: int

@dataclass(eq=False)
class ExcludePatternError(DeltaSqlError):
    pattern: str
    reason: str

@dataclass(eq=False)
class UnsupportedStreamColumnError(DeltaSqlError):
    column: str
    type: str

@dataclass(eq=False)
class UnsupportedStreamOptionError(DeltaSqlError):
    option: str
    advice: str

@dataclass(eq=False)
class ParseSyntaxError(DeltaSqlError):
    reason: str
    found: str = ...
    expected: tuple[str, ...] = ...

@dataclass(eq=False)
class InvalidIdentifierError(DeltaSqlError):
    name: str

@dataclass(eq=False)
class TooComplexError(DeltaSqlError): ...

@dataclass(eq=False)
class NameNotConstantError(DeltaSqlError):
    expression: str

@dataclass(eq=False)
class NameOfWrongTypeError(DeltaSqlError):
    expression: str
    type: str

@dataclass(eq=False)
class NullNameError(DeltaSqlError):
    expression: str

@dataclass(eq=False)
class EmptyStatementError(DeltaSqlError): ...

@dataclass(eq=False)
class DecimalPrecisionError(DeltaSqlError):
    type: str

@dataclass(eq=False)
class InvalidSridError(DeltaSqlError):
    srid: str
    type: str
    known: Collection[str]

@dataclass(eq=False)
class DatatypeMissingSizeError(DeltaSqlError):
    type: str

@dataclass(eq=False)
class DuplicateKeyError(DeltaSqlError):
    key: str

@dataclass(eq=False)
class DuplicateClausesError(DeltaSqlError):
    clause: str

@dataclass(eq=False)
class CollationNameError(DeltaSqlError):
    collation: str
    hint: str = ...

@dataclass(eq=False)
class CollatedTypeError(DeltaSqlError):
    type: str

@dataclass(eq=False)
class CollatedKeyError(DeltaSqlError):
    type: str

@dataclass(eq=False)
class ScriptUnreadableError(UsageError):
    path: str
    reason: str

@dataclass(eq=False)
class CellRefusedError(DeltaSqlError):
    kind: str
    advice: str

@dataclass(eq=False)
class CellFailedError(DeltaSqlError):
    error: str
    line: str

@dataclass(eq=False)
class NotebookNotFoundError(DeltaSqlError):
    path: str
    folder: str
    asked: str

@dataclass(eq=False)
class NestedNotebookError(DeltaSqlError):
    path: str
    depth: int

@dataclass(eq=False)
class WidgetValueError(DeltaSqlError):
    name: str
    value: str
    choices: tuple[str, ...]

@dataclass(eq=False)
class OutputNotWrittenError(UsageError):
    path: str
    reason: str

@dataclass(eq=False)
class UnknownFormatError(UsageError):
    style: str
    known: tuple[str, ...]

@dataclass(eq=False)
class UnknownCommandError(UsageError):
    command: str

@dataclass(eq=False)
class UnknownConditionError(UsageError):
    name: str
    hint: str

@dataclass(eq=False)
class UnknownPreferenceError(UsageError):
    name: str
    known: tuple[str, ...]

@dataclass(eq=False)
class WrongPreferenceError(UsageError):
    name: str
    value: str
    legal: str

@dataclass(eq=False)
class CommandArgumentError(UsageError):
    command: str
    needed: str
    usage: str

@dataclass(eq=False)
class ConfigurationFileError(UsageError):
    path: str
    reason: str

@dataclass(eq=False)
class NoGoldenFilesError(UsageError):
    place: str

@dataclass(eq=False)
class UnknownDirectiveError(UsageError):
    file: str
    line: int
    text: str
    known: tuple[str, ...]

@dataclass(eq=False)
class GoldenMaskError(UsageError):
    file: str
    line: int
    reason: str

@dataclass(eq=False)
class ScheduleError(UsageError):
    file: str
    line: int
    problem: str

@dataclass(eq=False)
class GoldenWorkerDiedError(DeltaSqlError):
    file: str
    end: str

@dataclass(eq=False)
class GoldenWorkersNotStartedError(UsageError):
    end: str

@dataclass(eq=False)
class UnknownEngineError(UsageError):
    engine: str

@dataclass(eq=False)
class MagicError(UsageError):
    problem: str
    usage: str

@dataclass(eq=False)
class ReportNotWrittenError(UsageError):
    path: str
    reason: str

@dataclass(eq=False)
class StatementEndedError(UsageError): ...

@dataclass(eq=False)
class SessionClosedError(UsageError): ...

@dataclass(eq=False)
class EngineForGivenSparkError(UsageError):
    engine: str

@dataclass(eq=False)
class ArgumentEntryTypeError(ArgumentTypeError): ...

@dataclass(eq=False)
class SessionNotInstalledError(UsageError): ...

@dataclass(eq=False)
class DeltaPackagePresentError(UsageError):
    place: str

@dataclass(eq=False)
class TableNameMissingError(UsageError): ...

@dataclass(eq=False)
class ChangeArgumentCountError(DeltaSqlError):
    function: str
    count: int

@dataclass(eq=False)
class NonConstantChangeArgumentError(DeltaSqlError):
    function: str
    position: int
    argument: str

@dataclass(eq=False)
class NullChangeBoundError(DeltaSqlError): ...

@dataclass(eq=False)
class InvalidChangeRangeError(DeltaSqlError):
    start: int
    end: int

@dataclass(eq=False)
class ChangesStartAfterLatestError(DeltaSqlError):
    table: str
    start: str
    latest: int

@dataclass(eq=False)
class MissingChangeDataError(DeltaSqlError):
    table: str
    version: int
    start: int
    end: int

@dataclass(eq=False)
class IncompatibleChangeSchemaError(DeltaSqlError):
    table: str
    version: int
    start: int
    end: int
    reason: str

@dataclass(eq=False)
class VersionNotFoundError(DeltaSqlError):
    table: str
    version: int
    earliest: int
    latest: int

@dataclass(eq=False)
class NoCommitsFoundError(DeltaSqlError):
    table: str
    location: str

@dataclass(eq=False)
class TimestampTooEarlyError(DeltaSqlError):
    table: str
    timestamp: str
    earliest: str
    version: int

@dataclass(eq=False)
class TimestampTooLateError(DeltaSqlError):
    table: str
    timestamp: str
    latest: str
    version: int

@dataclass(eq=False)
class TimestampInvalidError(DeltaSqlError):
    expression: str

@dataclass(eq=False)
class NestedColumnsMismatchError(DeltaSqlError):
    source: str
    target: str
    column: str
    advice: str = ...

@dataclass(eq=False)
class ConflictingAssignmentsError(DeltaSqlError):
    columns: tuple[str, ...]

@dataclass(eq=False)
class FieldOfNonStructError(DeltaSqlError):
    column: str
    parent: str
    type: str

@dataclass(eq=False)
class NestedArityError(DeltaSqlError):
    column: str
    table: str
    expected: int
    given: int

@dataclass(eq=False)
class NestedOrderError(DeltaSqlError):
    column: str
    field: str
    place: str
    source: str
    target: str

@dataclass(eq=False)
class AppendOnlyError(DeltaSqlError):
    table: str

@dataclass(eq=False)
class AggregateInConditionError(DeltaSqlError):
    clause: str
    expression: str

@dataclass(eq=False)
class NonDeterministicConditionError(DeltaSqlError):
    clause: str
    expression: str

@dataclass(eq=False)
class SubqueryInConditionError(DeltaSqlError):
    clause: str
    expression: str

@dataclass(eq=False)
class StrictAssignmentError(DeltaSqlError):
    column: str
    target: str
    source: str

@dataclass(eq=False)
class StructTypeMismatchError(DeltaSqlError):
    column: str
    target: str
    source: str

@dataclass(eq=False)
class ExceedLengthError(DeltaSqlError):
    column: str
    limit: int
    values: str

@dataclass(eq=False)
class VoidColumnError(DeltaSqlError):
    column: str
    table: str
    source: str
    advice: str

@dataclass(eq=False)
class PartitionValueError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class NothingToHoldError(DeltaSqlError):
    columns: str

@dataclass(eq=False)
class NestedVoidError(DeltaSqlError):
    column: str

@dataclass(eq=False)
class CheckViolationError(DeltaSqlError):
    constraint: str
    expression: str
    values: str

@dataclass(eq=False)
class NotNullViolationError(DeltaSqlError):
    column: str
    table: str

@dataclass(eq=False)
class InsertOverflowError(DeltaSqlError):
    column: str
    table: str
    source: str
    target: str
    value: str

@dataclass(eq=False)
class WriteOverflowError(DeltaSqlError):
    column: str
    table: str
    source: str
    target: str
    value: str

@dataclass(eq=False)
class InvalidInputError(DeltaSqlError):
    column: str
    table: str
    source: str
    target: str
    value: str

@dataclass(eq=False)
class NoCastError(DeltaSqlError):
    column: str
    table: str
    source: str
    target: str
    advice: str
