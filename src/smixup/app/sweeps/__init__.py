"""Many runs as one sweep: each run a record in a store, computed by an engine, on this machine or
on many.

A run is a pure function of its configuration and of the code behind it; their hash is its identity
(`identity`). The driver (`driver`) asks the store (`store`) which runs are missing, has an engine
(`local`, `ray_engine`) compute them, and writes each as soon as it is done. Workers never write
results, so nothing races and nothing finished is lost.
"""
