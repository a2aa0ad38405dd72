// Package subprocess runs the programs that a user named: without a shell, without a
// terminal, in a group that ends with them.
package subprocess

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"perfdeck/session/text/printable"
)

// variables are what programs see of the environment; the last two are Windows'.
var variables = []string{"PATH", "HOME", "LANG", "USERPROFILE", "SYSTEMROOT"}

// Environ is what a program sees of an environment, given as by os.Environ.
func Environ(ours []string) []string {
	var out []string
	for _, e := range ours {
		if name, _, ok := strings.Cut(e, "="); ok && slices.Contains(variables, strings.ToUpper(name)) {
			out = append(out, e)
		}
	}
	return out
}

// Head keeps the beginning of what a program prints.
type Head struct {
	mu   sync.Mutex
	text []byte
}

const mostHead = 4 << 10 // bytes that are kept

// Write implements io.Writer. It never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), mostHead-len(h.text))]...)
	return len(p), nil
}

// FirstLine is the first line that is not blank, printable, and no longer than a
// message can be.
func (h *Head) FirstLine() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	const most = 200 // bytes
	line, _, _ := bytes.Cut(bytes.TrimSpace(h.text), []byte("\n"))
	return printable.Text(string(line[:min(len(line), most)]))
}
