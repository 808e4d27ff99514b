from deltasql.engines.engine import SessionEngine as SessionEngine
from deltasql.engines.engine import session_engine as session_engine
