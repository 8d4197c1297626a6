"""The HTTP API for programs: typed requests in, typed answers out, computed by the advisor, without any state."""
