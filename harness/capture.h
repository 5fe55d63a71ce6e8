/* Capturing a session's call: the graph, inspected. */
#ifndef AT_CAPTURE_GRAPH_H
#define AT_CAPTURE_GRAPH_H

#include "session.h"

/* After an eager run of the same signature. *graph is NULL where the subject refused or spoiled the capture: the record
 * says so. */
AT_MUST_USE at_status at_session_capture(at_session *, at_graph **graph, at_error *err);
/* Restores the session's state with outputs and workspace poisoned, replays, and counts whether the bits are those of
 * `eager`. */
AT_MUST_USE at_status at_session_replay(at_session *, at_graph *, int turn, const char *what, const at_traces *eager,
                                        at_error *err);

#endif
