package local

import (
	"bytes"
	"strconv"
	"strings"
)

// commBytes is the length at which the kernel cuts names (TASK_COMM_LEN - 1).
const commBytes = 15

// workerName cuts off a kernel worker's job, which changes by the second:
// `kworker/0:1-events` is `kworker/0:1`.
func workerName(comm []byte) []byte {
	if !bytes.HasPrefix(comm, []byte("kworker/")) {
		return comm
	}
	colon := bytes.IndexByte(comm, ':')
	if colon < 0 {
		return comm
	}
	if cut := bytes.IndexAny(comm[colon:], "-+"); cut >= 0 {
		return comm[:colon+cut]
	}
	return comm
}

// fullName is the name whose first bytes the kernel kept, by the first
// argument of the command line, or comm if they do not fit together.
func fullName(comm, commandLine []byte) []byte {
	if len(comm) != commBytes {
		return comm
	}
	argument, _, _ := bytes.Cut(commandLine, []byte{0})
	base := argument[bytes.LastIndexByte(argument, '/')+1:]
	const longest = 255 // NAME_MAX
	if len(base) > longest || !bytes.HasPrefix(base, comm) {
		return comm
	}
	// A title as `nginx: worker process` is no file name.
	if i := bytes.IndexByte(base, ' '); i >= commBytes {
		base = base[:i]
	}
	return base
}

// commandText joins the arguments of /proc/PID/cmdline by blanks, in place.
func commandText(b []byte) string {
	b = bytes.TrimRight(b, "\x00")
	for i, c := range b {
		if c == 0 {
			b[i] = ' '
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

var stateNames = map[byte]string{
	'R': "running", 'S': "sleeping", 'D': "disk wait", 'Z': "zombie", 'T': "stopped",
	't': "traced", 'I': "idle", 'X': "dead", 'x': "dead", 'P': "parked", 'K': "wakekill", 'W': "paging",
}

// numberedNames gives each name of a batch its n of name#n.
type numberedNames struct {
	entries map[string]*nameEntry
	round   uint64
}

type nameEntry struct {
	text  string
	round uint64
	count uint32
}

// entry finds or makes the entry of a name.
func (n *numberedNames) entry(text []byte) *nameEntry {
	if e, ok := n.entries[string(text)]; ok {
		return e
	}
	if n.entries == nil {
		n.entries = make(map[string]*nameEntry)
	}
	e := &nameEntry{text: string(text)}
	n.entries[e.text] = e
	return e
}

// begin starts to number anew.
func (n *numberedNames) begin() { n.round++ }

// next is the number of the next instance of this name.
func (n *numberedNames) next(e *nameEntry) uint32 {
	if e.round != n.round {
		e.round, e.count = n.round, 0
	}
	e.count++
	return e.count - 1
}

// end forgets names that nothing bears any more.
func (n *numberedNames) end() {
	for text, e := range n.entries {
		if e.round != n.round {
			delete(n.entries, text)
		}
	}
}

// Names of rows that are no instances of their own.
const (
	idleName  = "Idle"
	totalName = "_Total"
)

func decimal(n int) string { return strconv.Itoa(n) }
