package ssh

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Binaries are the perfdecks that can be copied to other hosts: this program, and files
// for other systems.
type Binaries struct {
	Own string // file of this program
	Dir string // folder with files for other systems, named as FileFor; empty: none

	Known *Known // nil: nothing is kept of them

	mu   sync.Mutex
	seen map[string]*binary // by system, as "linux/amd64"
}

// binary is one of them.
type binary struct {
	file string
	sum  string // SHA-256 in hexadecimal
	size int64
}

// FileFor is how a release's file for a system, as "linux/amd64", is called.
func FileFor(system string) string { return "perfdeck-" + strings.ReplaceAll(system, "/", "-") }

// systems and machines are what uname calls those of which a release has files.
var (
	systems  = map[string]string{"Linux": "linux", "Darwin": "darwin", "FreeBSD": "freebsd"}
	machines = map[string]string{
		"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64", "armv7l": "arm", "armv8l": "arm", "riscv64": "riscv64", "s390x": "s390x",
	}
)

// released are the systems of a release that run commands sent by ssh.
var released = []string{
	"linux/amd64", "linux/arm64", "linux/arm", "linux/riscv64", "linux/s390x", "darwin/amd64", "darwin/arm64", "freebsd/amd64",
}

var errSystem = errors.New("there is no perfdeck for it")

// of is the perfdeck for a system as uname names it.
func (b *Binaries) of(system, machine string) (*binary, error) {
	goos, goarch := systems[system], machines[machine]
	key := goos + "/" + goarch
	if !slices.Contains(released, key) {
		return nil, &Error{"choose a perfdeck", fmt.Errorf("%s on %s: %w", short(system), short(machine), errSystem), "use perfdeck serve on a host that can be read in its stead"}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if seen := b.seen[key]; seen != nil {
		return seen, nil
	}
	file := b.Own
	if key != runtime.GOOS+"/"+runtime.GOARCH {
		if b.Dir == "" {
			return nil, &Error{"choose a perfdeck", fmt.Errorf("the host is %s, this program is for %s/%s", key, runtime.GOOS, runtime.GOARCH),
				"put the release's file " + FileFor(key) + " into a folder and name that with --deploy-from, or install perfdeck on the host"}
		}
		file = filepath.Join(b.Dir, FileFor(key))
	}
	out, err := b.read(file)
	if err != nil {
		return nil, &Error{"read the perfdeck for " + key, err, "--deploy-from names a folder with the release's file " + FileFor(key)}
	}
	if b.seen == nil {
		b.seen = map[string]*binary{}
	}
	b.seen[key] = out
	return out, nil
}

// own is this program, and as what uname tells the systems that it is for: none where it
// is for no other host, or cannot be read, which is told when it is needed.
func (b *Binaries) own() (own *binary, names []string) {
	for system, goos := range systems {
		for machine, goarch := range machines {
			if goos == runtime.GOOS && goarch == runtime.GOARCH {
				names = append(names, system+"/"+machine)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	slices.Sort(names)
	system, machine, _ := strings.Cut(names[0], "/")
	own, err := b.of(system, machine)
	if err != nil {
		return nil, nil
	}
	return own, names
}

// subjectSum is the sum of a file to Known.
const subjectSum = "sha256"

// read finds out what a file is.
func (b *Binaries) read(file string) (*binary, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if sum := b.Known.about(subjectSum, file); len(sum) == hex.EncodedLen(sha256.Size) {
		return &binary{file, sum, info.Size()}, nil
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return nil, err
	}
	out := &binary{file, hex.EncodeToString(sum.Sum(nil)), n}
	b.Known.note(subjectSum, file, out.sum)
	return out, nil
}

// doubt has the sums found out anew: one did not fit.
func (b *Binaries) doubt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, seen := range b.seen {
		b.Known.note(subjectSum, seen.file, "")
	}
	b.seen = nil
}

// copyTo writes it.
func (b *binary) copyTo(w io.Writer) error {
	f, err := os.Open(b.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := io.CopyN(w, f, b.size); err != nil {
		return fmt.Errorf("after %d of %d bytes: %w", n, b.size, err)
	}
	return nil
}
