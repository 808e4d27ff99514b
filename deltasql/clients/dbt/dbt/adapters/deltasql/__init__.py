"""dbt's adapter `type: deltasql`: dbt-spark's macros and relations, over sessions of deltasql.

Contains only the differences from dbt-spark. It is installed as `dbt.adapters.deltasql`; deltasql does not import it.
"""

from dbt.adapters.base import AdapterPlugin
from dbt.adapters.deltasql.connections import DeltaSqlConnectionManager, DeltaSqlCredentials
from dbt.adapters.deltasql.impl import DeltaSqlAdapter
from dbt.include import deltasql

__all__ = ["DeltaSqlAdapter", "DeltaSqlConnectionManager", "DeltaSqlCredentials", "Plugin"]

Plugin = AdapterPlugin(
    adapter=DeltaSqlAdapter,
    credentials=DeltaSqlCredentials,
    include_path=deltasql.PACKAGE_PATH,
    dependencies=["spark"],
)
