"""Training as a generator of events: data, schedule, the loop, the state to resume from."""
