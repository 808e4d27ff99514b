"""dbt's adapter `type: deltasql`: dbt-spark's macros and relations, over sessions of deltasql.

Holds what dbt must be told otherwise than for Spark. It is installed as `dbt.adapters.deltasql`; deltasql knows
nothing of it.
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
