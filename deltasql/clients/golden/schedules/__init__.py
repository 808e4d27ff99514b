"""Golden files of concurrent sessions: schedules, the sessions that they step through, and the serial orders allowed.

`scenario` reads the file, `schedule` the order of steps, `writers` moves one session at a time, `concurrency` runs all
schedules, and `serial` decides whether some serial order explains a result.
"""
