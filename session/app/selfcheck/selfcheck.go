// Package selfcheck tells what perfdeck itself is on this computer: what it may see, where it keeps
// what, and how much of that there is. It names nobody: no host, no account, no home folder.
package selfcheck

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Fact is what is found, with what helps where that is less than there could be.
type Fact struct{ Name, Value, Cure string }

// Part is what belongs together.
type Part struct {
	Title string
	Facts []Fact
}

// Place is a file or folder of the program.
type Place struct{ Name, Path string }

// Options say what is looked at.
type Options struct {
	Home   string // in the place of which ~ is told
	Places []Place
}

// Find looks at this computer.
func Find(o Options) []Part {
	places, kept := Part{Title: "Paths"}, Part{Title: "Kept on disk"}
	for _, at := range o.Places {
		value, bytes, files := o.state(at.Path)
		places.Facts = append(places.Facts, Fact{Name: at.Name, Value: value})
		if files > 0 {
			kept.Facts = append(kept.Facts, Fact{Name: at.Name, Value: english.Size(bytes) + " in " + english.Count(files, "file", "files")})
		}
	}
	limits := Part{Title: "Limits", Facts: append([]Fact{{Name: "processors", Value: strconv.Itoa(runtime.NumCPU())}}, limits()...)}
	return []Part{places, kept, limits, {Title: "Rights", Facts: rights()}}
}

// mostFiles bounds how long is looked.
const mostFiles = 100_000

// state is how things stand with a path, and what is in it.
func (o Options) state(path string) (value string, bytes int64, files int) {
	shown := path
	if rest, is := strings.CutPrefix(path, o.Home); is && o.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		shown = "~" + rest
	}
	shown = printable.Text(shown)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return shown + ", not there", 0, 0
	case err != nil:
		return shown + ": " + reason(err), 0, 0
	case !info.IsDir():
		return shown + ", " + info.Mode().String(), 0, 0
	}
	enough := errors.New("enough")
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		if files++; files > mostFiles {
			return enough
		}
		if info, err := entry.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return shown + ", " + info.Mode().String(), bytes, files
}

// reason is an error without the path that it is about.
func reason(err error) string {
	if e, is := errors.AsType[*fs.PathError](err); is {
		err = e.Err
	}
	return printable.Text(err.Error())
}

// right is something that one may do, or not.
func right(name string, may bool, cure string) Fact {
	if may {
		return Fact{Name: name, Value: "yes"}
	}
	return Fact{Name: name, Value: "no", Cure: cure}
}
