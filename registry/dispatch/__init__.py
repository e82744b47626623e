"""From a tool call to its outcome: validation, parsing, caps, refusals and defects, harness tools."""
