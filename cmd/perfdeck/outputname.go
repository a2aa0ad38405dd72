package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/record/bundle"
	"perfdeck/session/record/logs"
	"perfdeck/session/system/osfile"
)

// outputSet takes the name of a set from the name of an output: FILE.db!SET. What names
// a database server, and sets of files that have none, is refused.
func outputSet(verb, name, set string) (file, inSet string, err error) {
	if len(name) >= 4 && strings.EqualFold(name[:4], "SQL:") {
		_, err := logs.Choose("sql", "")
		return "", "", usage(fmt.Errorf("%s -o %s: %w", verb, name, err))
	}
	file, inSet, has := strings.Cut(name, "!")
	format, known := logs.FormatByExtension(file)
	switch {
	case !has || !known:
		return name, set, nil
	case !format.HasSets():
		return "", "", usage(session.WithHint(fmt.Errorf("%s -o %s: %s files have no sets", verb, name, format.Name), "SQLite files have: -o FILE.db!SET"))
	case inSet == "":
		return "", "", usage(fmt.Errorf("%s -o %s: the set has no name", verb, name))
	case set != "" && set != inSet:
		return "", "", usage(fmt.Errorf("%s -o %s: --set %s names another set", verb, name, set))
	}
	return file, inSet, nil
}

// errReadToo says why a file is not written to.
var errReadToo = errors.New("it is what is read")

// checkApart refuses an output that is the same file as an input, by whatever name: what is
// read would be lost, and --yes does not mean that. relog alone may thin a recording in
// its place.
func (p *program) checkApart(verb, output string, inputs ...[]string) error {
	out, err := os.Stat(output)
	if err != nil || !out.Mode().IsRegular() {
		return nil //nolint:nilerr // it is new, or is told where it is opened
	}
	for _, name := range slices.Concat(inputs...) {
		file, _, _ := strings.Cut(name, "!") // behind it stands a set, or a part of an archive
		for _, one := range []string{name, file} {
			in, err := os.Stat(one)
			if name == stdinName {
				in, err = p.in.Stat()
			}
			if err == nil && os.SameFile(in, out) {
				return usage(session.WithHint(fmt.Errorf("%s: write %s: %w", verb, session.Printable(output), errReadToo), "write to another file: what is read is never replaced"))
			}
		}
	}
	return nil
}

// checkExtension refuses the name of an output that says another format than those that are
// written, unless one was named.
func checkExtension(verb, name, format string) error {
	extension := filepath.Ext(name)
	if _, known := logs.FormatByExtension(name); format != "" || len(extension) <= 1 || known || osfile.IsDevice(name) {
		return nil
	}
	hint := "--format names one, whatever the name of the file"
	if strings.EqualFold(extension, bundle.Extension) {
		hint = "perfdeck bundle writes " + bundle.Extension + " files"
	}
	return usage(session.WithHint(fmt.Errorf("%s -o %s: %s is no format: %s", verb, name, extension, strings.Join(logs.FormatNames(), ", ")), hint))
}

// isStandardOutput tells the names of standard output.
func isStandardOutput(name string) bool { return name == "-" || name == "/dev/stdout" }

// writeText writes to a file that the user named, or to standard output.
func (p *program) writeText(output string, overwrite bool, text []byte) error {
	if output != "" {
		return osfile.WriteNamed(output, text, overwrite)
	}
	_, err := p.out.Write(text)
	return unlessPipe(err)
}
