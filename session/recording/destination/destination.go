// Package destination is where recordings and samples are written, as a user names it: its set, its format, and
// that it is none of what is read.
package destination

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session/files/bundle"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// Stdio is how the standard input and output are named in place of a file.
const Stdio = "-"

// IsStandardOutput tells the names of standard output.
func IsStandardOutput(name string) bool { return name == Stdio || name == "/dev/stdout" }

// Set takes the name of a set from the name of an output: FILE.db!SET; set is what --set says. What
// names a database server, and sets of files that have none, is refused.
func Set(verb, name, set string) (file, inSet string, err error) {
	if len(name) >= 4 && strings.EqualFold(name[:4], "SQL:") {
		_, err := formats.Choose("sql", "")
		return "", "", failure.Usage(fmt.Errorf("%s -o %s: %w", verb, name, err))
	}
	file, inSet, has := strings.Cut(name, "!")
	format, known := formats.ByExtension(file)
	switch {
	case !has || !known:
		return name, set, nil
	case !format.HasSets():
		return "", "", failure.Usage(fmt.Errorf("%s -o %s: %s files have no sets", verb, name, format.Name), "SQLite files have: -o FILE.db!SET")
	case inSet == "":
		return "", "", failure.Usage(fmt.Errorf("%s -o %s: the set has no name", verb, name))
	case set != "" && set != inSet:
		return "", "", failure.Usage(fmt.Errorf("%s -o %s: --set %s names another set", verb, name, set))
	}
	return file, inSet, nil
}

// Format is the format that is named, else that of the file, else the usual one. A name of a file
// that says another format than those that are written is refused: who writes one wants a format
// that is not there.
func Format(verb, file, named string, usual formats.Use) (*formats.Format, error) {
	if err := checkExtension(verb, file, named); err != nil {
		return nil, err
	}
	format, err := formats.Choose(named, file)
	if err != nil {
		return nil, failure.Usage(err)
	}
	if format == nil {
		format = formats.Usual(usual)
	}
	return format, nil
}

func checkExtension(verb, file, named string) error {
	extension := filepath.Ext(file)
	if _, known := formats.ByExtension(file); named != "" || len(extension) <= 1 || known || osfile.IsDevice(file) {
		return nil
	}
	hint := "--format names one, whatever the name of the file"
	if strings.EqualFold(extension, bundle.Extension) {
		hint = "perfdeck bundle writes " + bundle.Extension + " files"
	}
	return failure.Usage(fmt.Errorf("%s -o %s: %s is no format: %s", verb, file, extension, strings.Join(formats.Names(), ", ")), hint)
}

// errReadToo says why a file is not written to.
var errReadToo = errors.New("it is what is read")

// Apart refuses an output that is the same file as an input, by whatever name: what is
// read would be lost, and --yes does not mean that. relog alone may thin a recording in
// its place.
func Apart(verb, output string, stdin *os.File, inputs ...[]string) error {
	out, err := os.Stat(output)
	if err != nil || !out.Mode().IsRegular() {
		return nil //nolint:nilerr // it is new, or is told where it is opened
	}
	for _, name := range slices.Concat(inputs...) {
		file, _, _ := strings.Cut(name, "!") // behind it stands a set, or a part of an archive
		for _, one := range []string{name, file} {
			in, err := os.Stat(one)
			if name == Stdio {
				in, err = stdin.Stat()
			}
			if err == nil && os.SameFile(in, out) {
				return failure.Usage(fmt.Errorf("%s: write %s: %w", verb, output, errReadToo), "write to another file: what is read is never replaced")
			}
		}
	}
	return nil
}

// PrintFormat is the format in which samples are printed to a file, or the screen: that which is named,
// else that of the file.
func PrintFormat(file, named string) (*formats.Format, error) {
	if kept, known := formats.ByExtension(file); known && named == "" && !slices.Contains(formats.PrintFormats(), kept.Name) {
		return nil, failure.Usage(fmt.Errorf("sample -o %s: it writes no %s", file, kept.Name), "perfdeck record does; --format names another, whatever the name of the file")
	}
	kind, ok := formats.PrintFormat(named, file)
	if !ok {
		return nil, failure.Usage(fmt.Errorf("--format %q: no such value", named), "known: "+strings.Join(formats.PrintFormats(), ", "))
	}
	return kind, nil
}

// Print opens the file, the device or the screen that samples are printed to.
func Print(kind *formats.Format, file string, stdout *os.File, look logs.WriteOptions) (*formats.Printer, error) {
	switch {
	case file == "" || IsStandardOutput(file):
		return kind.Print(stdout, look), nil
	case osfile.IsDevice(file):
		to, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("write samples: %w", err)
		}
		return kind.Print(to, look), nil
	}
	o, err := kind.PrintFile(file, look)
	if errors.Is(err, os.ErrExist) {
		return nil, failure.WithHint(fmt.Errorf("write samples: %s is there already", file), "--yes overwrites it")
	}
	if err != nil {
		return nil, fmt.Errorf("write samples: %w", err)
	}
	return o, nil
}
