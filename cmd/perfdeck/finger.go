package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/record/collectorset"
	"perfdeck/session/system/osfile"
)

// The program called by the name of a program of Windows takes that one's options, as its
// documentation has them, and does the same by our own commands.

// finger is a program of Windows that this one stands in for.
type finger struct {
	name    string
	form    string // its command line, for /?
	options []fingerOption
	// translate says by which of our commands that is done.
	translate func(given []givenOption, rest []string) (*errand, error)
}

var fingers = []*finger{&typeperfFinger, &relogFinger, &logmanFinger}

// fingerOf is the program that a command's name means, nil for our own.
func fingerOf(command string) *finger {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".exe")
	i := slices.IndexFunc(fingers, func(f *finger) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return fingers[i]
}

// takes is what follows an option.
type takes uint8

const (
	nothing takes = iota
	one
	maybe   // one value, or none
	some    // values up to the next option
	several // the same, or none
	date    // M/D/YYYY h:mm:ss AM, of which parts may be missing, in quotes or not
)

// fingerOption is an option of a program of Windows.
type fingerOption struct {
	name  string // without its dash
	takes takes
	not   bool   // --name switches it off
	here  string // what it does here, for /?
	none  string // it has no meaning here: why
}

// givenOption is an option as it was given.
type givenOption struct {
	*fingerOption

	off    bool // by --name
	values []string
}

// value is the first value; empty: there is none.
func (g *givenOption) value() string {
	if len(g.values) == 0 {
		return ""
	}
	return g.values[0]
}

// errand is what a command line of Windows means here.
type errand struct {
	commands [][]string // command lines of ours, one after the other
	notes    []string   // options that mean nothing here
	output   string     // what the commands print goes to this file
	force    bool       // which may be there
	quiet    bool       // what the commands print is not shown

	before func(p *program) error // prints what stands before it, in Windows' form
	after  func(p *program) error // and behind it
}

// done is the last line of each of these programs.
const done = "The command completed successfully."

// runFinger does what a command line of Windows means.
func (p *program) runFinger(f *finger, args []string) int {
	e, err := f.read(args)
	if errors.Is(err, errHelp) {
		fmt.Fprint(p.out, f.help())
		return exitDone
	}
	if err != nil {
		return p.report(usage(fmt.Errorf("%s: %w", f.name, err)))
	}
	for _, note := range e.notes {
		fmt.Fprintf(p.err, "%s: %s\n", f.name, session.Printable(note))
	}
	shown := p.out
	finish, err := p.redirect(e)
	if err != nil {
		return p.report(fmt.Errorf("%s: %w", f.name, err))
	}
	code := p.runErrand(e, shown)
	if err := finish(); err != nil && code == exitDone {
		code = p.report(fmt.Errorf("%s: %w", f.name, err))
	}
	if code == exitDone || code == exitPartly {
		fmt.Fprintf(shown, "\n%s\n", done)
	}
	return code
}

// runErrand runs the commands; what stands around them goes to shown.
func (p *program) runErrand(e *errand, shown *os.File) (code int) {
	around := func(show func(*program) error) int {
		if show == nil {
			return exitDone
		}
		one := &program{in: p.in, out: shown, err: p.err, environ: p.environ} // each run ends its own
		if err := one.loadConfig(); err != nil {
			return p.report(err)
		}
		return p.report(show(one))
	}
	if code = around(e.before); code != exitDone {
		return code
	}
	for _, args := range e.commands {
		code = worse(code, p.run(args))
		if code == exitFailed || code == exitUsage {
			return code
		}
	}
	return worse(code, around(e.after))
}

// redirect lets what is printed go where an errand says.
func (p *program) redirect(e *errand) (finish func() error, err error) {
	shown := p.out
	switch {
	case e.output != "":
		flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
		if e.force {
			flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		}
		f, err := os.OpenFile(e.output, flags, 0o644) //nolint:gosec // a list of counters is no secret
		if errors.Is(err, os.ErrExist) {
			return nil, session.WithHint(fmt.Errorf("%s is there already", e.output), "-y replaces it")
		}
		if err != nil {
			return nil, err
		}
		p.out = f
		return func() error { p.out = shown; return f.Close() }, nil
	case e.quiet:
		p.out = discard()
	}
	return func() error { p.out = shown; return nil }, nil
}

var errHelp = errors.New("help")

// read reads a command line.
func (f *finger) read(args []string) (*errand, error) {
	args, err := f.expand(args)
	if err != nil {
		return nil, err
	}
	given, rest, err := f.parse(args)
	if err != nil {
		return nil, err
	}
	var notes []string
	for i := range given {
		if given[i].none != "" {
			notes = append(notes, "-"+given[i].name+" means nothing here: "+given[i].none)
		}
	}
	given = slices.DeleteFunc(given, func(g givenOption) bool { return g.none != "" })
	e, err := f.translate(given, rest)
	if err != nil {
		return nil, err
	}
	e.notes = append(notes, e.notes...)
	return e, nil
}

// option finds the option that an argument is; nil: it is none. known is false for what
// looks like one and is not known.
func (f *finger) option(arg string) (o *fingerOption, off, known bool) {
	var name string
	switch {
	case len(arg) < 2:
		return nil, false, true
	case strings.HasPrefix(arg, "--"):
		name, off = arg[2:], true
	case arg[0] == '-' || arg[0] == '/':
		name = arg[1:]
	default:
		return nil, false, true
	}
	for i := range f.options {
		if o := &f.options[i]; strings.EqualFold(o.name, name) && (!off || o.not) {
			return o, off, true
		}
	}
	return nil, false, arg[0] == '/' // which begins the names of files on other systems
}

// parse takes a command line apart.
func (f *finger) parse(args []string) (given []givenOption, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		if args[i] == "/?" || args[i] == "-?" {
			return nil, nil, errHelp
		}
		o, off, known := f.option(args[i])
		switch {
		case !known:
			return nil, nil, session.WithHint(fmt.Errorf("invalid syntax: there is no option %s", session.Printable(args[i])), f.name+" /? lists the options")
		case o == nil:
			rest = append(rest, args[i])
			continue
		}
		g := givenOption{fingerOption: o, off: off}
		for n := 0; i+1 < len(args) && f.wants(&g, n, args[i+1]); n++ {
			i++
			g.values = append(g.values, args[i])
		}
		if len(g.values) == 0 && !off && (o.takes == one || o.takes == some || o.takes == date) {
			return nil, nil, session.WithHint(fmt.Errorf("invalid syntax: -%s lacks its value", o.name), f.name+" /? lists the options")
		}
		given = append(given, g)
	}
	return given, rest, nil
}

// wants tells whether an option takes one more argument.
func (f *finger) wants(g *givenOption, n int, arg string) bool {
	if g.off || g.takes == nothing {
		return false
	}
	o, _, known := f.option(arg)
	isOption := o != nil || !known
	switch g.takes {
	case one:
		return n == 0 && o == nil // a file may begin with a dash
	case maybe:
		return n == 0 && !isOption
	case some, several:
		return !isOption
	case date:
		return n == 0 && !isOption || n > 0 && isDatePart(arg)
	case nothing:
	}
	return false
}

// isDatePart tells what may follow the first part of a date: a time, AM, PM.
func isDatePart(arg string) bool {
	_, err := collectorset.ParseClock(spacedClock(arg))
	return err == nil && arg != "" || strings.EqualFold(arg, "AM") || strings.EqualFold(arg, "PM")
}

// mostSettings bounds the settings file of -config, in bytes.
const mostSettings = 1 << 20

// expand puts what settings files say in their place: lines as on a command line, or
// [option] and its values below, each on a line.
func (f *finger) expand(args []string) (out []string, err error) {
	for i := 0; i < len(args); i++ {
		o, _, _ := f.option(args[i])
		if o == nil || o.name != "config" {
			out = append(out, args[i])
			continue
		}
		if i++; i == len(args) {
			return nil, errors.New("invalid syntax: -config lacks its file")
		}
		text, err := osfile.ReadPlain(args[i], mostSettings)
		if err != nil {
			return nil, fmt.Errorf("read the settings file: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			words := settingsLine(line)
			if slices.ContainsFunc(words, func(w string) bool { o, _, _ := f.option(w); return o != nil && o.name == "config" }) {
				return nil, fmt.Errorf("the settings file %s names another one", args[i])
			}
			out = append(out, words...)
		}
	}
	return out, nil
}

// settingsLine is a line of a settings file as arguments.
func settingsLine(line string) []string {
	line = strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF"))
	switch {
	case line == "" || line[0] == ';' || line[0] == '#':
		return nil
	case line[0] == '[' && strings.HasSuffix(line, "]"):
		return []string{"-" + strings.TrimLeft(strings.TrimSpace(line[1:len(line)-1]), "-/")}
	case line[0] == '\\': // a path, which has blanks
		return []string{strings.Trim(line, `"`)}
	}
	return words(line)
}

// words takes a line apart at blanks that stand in no quotes.
func words(line string) (out []string) {
	var word strings.Builder
	quoted, begun := false, false
	for _, c := range line {
		switch {
		case c == '"':
			quoted, begun = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out
}

// help is what /? prints.
func (f *finger) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nperfdeck as %s of Windows:\n\n  %s\n\nOptions:\n", f.name, strings.ReplaceAll(f.form, "\n", "\n  "))
	for i := range f.options {
		o := &f.options[i]
		name := "-" + o.name
		if o.not {
			name = "-[-]" + o.name
		}
		name += [...]string{nothing: "", one: " <value>", maybe: " [value]", some: " <value ...>", several: " [value ...]", date: " <M/D/YYYY h:mm:ss[AM|PM]>"}[o.takes]
		text := o.here
		if o.none != "" {
			text = "means nothing here: " + o.none
		}
		fmt.Fprintf(&b, "  %-34s %s\n", name, text)
	}
	return b.String()
}

// fingerSeconds reads [[hh:]mm:]ss.
func fingerSeconds(option, text string) (int, error) {
	parts := strings.Split(text, ":")
	sum := 0
	for _, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1<<24 || len(parts) > 3 {
			return 0, session.WithHint(fmt.Errorf("-%s %s is no time", option, session.Printable(text)), "write [[hh:]mm:]ss, as 15 or 1:30")
		}
		sum = 60*sum + n
	}
	return sum, nil
}

// fingerMoment is a date and a time as options of Windows have them. Without a date it is
// a time of any day.
type fingerMoment struct {
	day   collectorset.Date
	clock collectorset.Clock
}

// readMoment reads M/D/YYYY h:mm:ss AM.
func readMoment(option string, values []string) (m fingerMoment, err error) {
	text := strings.Join(values, " ")
	fields := strings.Fields(text)
	if len(fields) > 0 && strings.ContainsAny(fields[0], "/-") {
		if m.day, err = parseDay(fields[0]); err == nil {
			fields = fields[1:]
		}
	}
	if err == nil {
		m.clock, err = collectorset.ParseClock(spacedClock(strings.Join(fields, " ")))
	}
	if err != nil || text == "" {
		return m, session.WithHint(fmt.Errorf("-%s %s is no time", option, session.Printable(text)), "write M/D/YYYY h:mm:ss AM")
	}
	return m, nil
}

// spacedClock puts the blank before AM or PM that may be missing.
func spacedClock(text string) string {
	upper := strings.ToUpper(text)
	for _, half := range []string{"AM", "PM"} {
		if before, ok := strings.CutSuffix(upper, half); ok {
			return strings.TrimSpace(before) + " " + half
		}
	}
	return text
}

// String is the moment as our flags read it.
func (m fingerMoment) String() string {
	if m.day.IsZero() {
		return m.clock.String()
	}
	return fmt.Sprintf("%04d-%02d-%02d %v", m.day.Year, m.day.Month, m.day.Day, m.clock)
}

// until is how long it is from one moment to another; of times alone, to the next such
// time.
func (m fingerMoment) until(end fingerMoment) time.Duration {
	at := func(m fingerMoment) time.Time {
		return time.Date(m.day.Year, m.day.Month, m.day.Day, 0, 0, int(m.clock), 0, time.UTC)
	}
	if !m.day.IsZero() && !end.day.IsZero() {
		return at(end).Sub(at(m))
	}
	const day = 24 * 60 * 60
	return time.Duration((int(end.clock-m.clock)+day-1)%day+1) * time.Second
}

// oneOf finds a value among those that there are, in any case.
func oneOf(option, value string, known ...string) (string, error) {
	for _, k := range known {
		if strings.EqualFold(k, value) {
			return k, nil
		}
	}
	return "", session.WithHint(fmt.Errorf("-%s %s: there is no such value", option, session.Printable(value)), "known: "+strings.Join(known, ", "))
}
