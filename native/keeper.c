// Mounts the files that a session's boxes show, and starts bubblewrap, which shows them. A box itself may mount nothing, and
// bubblewrap 0.8 cannot mount an overlay.
//
//   keeper once LOWER ROOM SIZE_BYTES FILE_COUNT OUT_FD [ROOT LAYER]... -- BUBBLEWRAP [ARGUMENT...]
//
// For a workspace in memory: one call, with an overlay of its own. LOWER: the directory of the files, never written to. ROOM: an empty
// directory; the overlay is at ROOM/merged, its upper layer in a tmpfs of that size. At the end it reports what the call changed, which
// is the content of the upper layer, as records on OUT_FD; only this process holds it.
//
//   keeper layers ROOM [ROOT LAYER]... -- BUBBLEWRAP [ARGUMENT...]
//
// One call that may change directories of the machine: mounts a layer over each, at ROOM/0, ROOM/1 and so on, and lists at the end what
// the call changed: see keeper-layer.h. `once` and `join` do the same for the pairs that they get.
//
//   keeper hold LOWER DRAFT ROOM
//
// For a draft: mounts its layer over the project LOWER once, at ROOM/merged, for all calls of all gates, and keeps the mount until
// nobody has DRAFT/users open. DRAFT has `upper`, `work`, `git`, the pipe `users`, and the file `holder`, which is locked while there
// is a holder, and then contains its process id. Prints a byte when all is mounted. Exits with HELD if there is another holder, and with
// BUSY if boxes of an earlier one still run. Writes what the boxes change to ROOM/changes: see keeper-watch.h.
//
//   keeper try LOWER DRAFT ROOM
//
// Mounts an empty draft like `hold`, and ends: whether this machine can have drafts of LOWER in this directory.
//
//   keeper join DRAFT ROOM LAYER_ROOM [ROOT LAYER]... -- BUBBLEWRAP [ARGUMENT...]
//
// One call in a draft: enters the holder's namespaces, remounts the draft if DRAFT has a file `live`, starts bubblewrap, and keeps DRAFT/users open until the box has ended.
//
//   keeper seed PROJECT DRAFT MOST_BYTES FILE_BYTES
//
// Fills the layer of a new draft: see keeper-seed.h. A file that is larger than FILE_BYTES, or would make it more than MOST_BYTES, is skipped.
//
//   keeper compare PROJECT DRAFT
//
// Says what the person has changed in the project since: see keeper-compare.h.
//
//   keeper measure DRAFT
//
// Prints how many bytes a draft takes on the disk: see keeper-measure.h.
//
//   keeper net CHANNEL_FD KEY [t|d ADDRESS PORT]... -- COMMAND [WORD...]
//
// One of `once`, `layers`, `join` and `plain`, for a box that reaches single hosts: see keeper-network.h. `plain` mounts nothing:
//
//   keeper net CHANNEL_FD KEY [t|d ADDRESS PORT]... -- plain -- BUBBLEWRAP [ARGUMENT...]
//
//   keeper reach NAMESPACE_FD PORT CHANNEL_FD KEY
//
// Connects to a server in a running box, for the person: see keeper-reach.h.
//
//   keeper lock LETTERS
//
// Locks directories for the gate that opened them: see keeper-lock.h.
//
// All mounts are in a private mount namespace: no other process sees them, and the kernel removes them with the namespace's last process.
//
// It uses no libc, like native/init.c.

#include "keeper-base.h"

#include "keeper-report.h"

#include "keeper-network.h"

#include "keeper-layer.h"

#include "keeper-once.h"
#include "keeper-watch.h"

#include "keeper-draft.h"

#include "keeper-measure.h"

#include "keeper-seen.h"

#include "keeper-seed.h"

#include "keeper-compare.h"

#include "keeper-lock.h"

#include "keeper-reach.h"

__attribute__((noreturn, used)) void run(u64 *stack) {
  u64 argc = stack[0];
  char **argv = (char **)(stack + 1);
  if (argc < 2) leave(FAILED);
  if (is_same(argv[1], "net")) {
    u64 words = network_words(argc, argv);
    argc -= words;
    argv += words;
  }
  if (is_same(argv[1], "plain")) plain(argc, argv);
  if (is_same(argv[1], "once")) once(argc, argv);
  if (is_same(argv[1], "layers")) layers(argc, argv);
  if (is_same(argv[1], "hold")) hold(argc, argv);
  if (is_same(argv[1], "try")) try_draft(argc, argv);
  if (is_same(argv[1], "join")) join(argc, argv);
  if (is_same(argv[1], "seed")) seed(argc, argv);
  if (is_same(argv[1], "compare")) compare(argc, argv);
  if (is_same(argv[1], "measure")) measure(argc, argv);
  if (is_same(argv[1], "reach")) reach(argc, argv);
  if (is_same(argv[1], "lock")) lock(argc, argv);
  leave(FAILED);
}
