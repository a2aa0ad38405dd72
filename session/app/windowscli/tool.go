// Package windowscli reads command lines of typeperf, relog and logman, as Windows has
// them, into command lines of ours, prints what stands around their output there, and links
// their names to a program.
package windowscli

import (
	_ "embed" // the options
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"perfdeck/paths"
	"perfdeck/session/files/formats"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/sheet"
)

// Tool is a program of Windows that this one stands in for.
type Tool struct {
	Name string

	usage     string // its command line, for /?
	options   func() []option
	translate func(args []argument, rest []string, isLocal func(name string) bool) (*Translation, error)
}

// commandLine is one of a tool, as its options are read.
type commandLine interface {
	set(a *argument) error
	translation() (*Translation, error)
}

// translated reads the options of a command line, and says what it means here.
func translated(l commandLine, args []argument) (*Translation, error) {
	for i := range args {
		if err := l.set(&args[i]); err != nil {
			return nil, err
		}
	}
	return l.translation()
}

// Tools are all of them.
func Tools() []*Tool { return []*Tool{&typeperfTool, &relogTool, &logmanTool} }

// ByName is the tool that a command's name means, nil for any other.
func ByName(command string) *Tool {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(command)), ".exe")
	for _, t := range Tools() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Translation is what a command line of Windows means here.
type Translation struct {
	Commands [][]string // command lines of ours, one after the other
	Notes    []string   // options that mean nothing here
	Output   string     // what the commands print goes to this file
	Replace  bool       // which may be there
	Quiet    bool       // what the commands print is not shown

	Before, After Frame
}

// Frame is what a tool prints before what it does, or behind it.
type Frame struct {
	Shows Shown
	Names []string // of files, or of a set
	Host  string   // whose sets; empty: the user's own
}

// Shown is a kind of frame.
type Shown uint8

// What there is to show.
const (
	Nothing   Shown = iota
	BlankLine       // and nothing else
	Inputs          // files and when they have samples: see printSpans
	Output          // a file that was written, alike
	Sets            // all sets, or one: see printSets, printSet
)

// Done is the last line of each of these programs.
const Done = "The command completed successfully."

// ErrHelp is that only help is asked for: see Help.
var ErrHelp = errors.New("help")

// arity is what follows an option.
type arity uint8

const (
	nothing arity = iota
	one
	maybe   // one value, or none
	some    // values up to the next option
	several // the same, or none
	date    // M/D/YYYY h:mm:ss AM, of which parts may be missing, in quotes or not
)

// option is an option of a tool.
type option struct {
	name  string // without its dash
	takes arity
	not   bool   // --name switches it off
	here  string // what it does here, for /?
	none  string // it has no meaning here: why
}

// optionsText are the options of all tools.
//
//go:embed options.txt
var optionsText string

// optionsOf are those of a tool.
func optionsOf(tool string) func() []option {
	return sync.OnceValue(func() (out []option) {
		arities := map[string]arity{"nothing": nothing, "one": one, "maybe": maybe, "some": some, "several": several, "date": date}
		known := english.Either(collectorset.FormatWords())
		for r := range sheet.Rows(optionsText) {
			if r.Part != tool {
				continue
			}
			o, words := option{name: r.Name, takes: arities[r.Words[0]]}, r.Words[1:]
			if o.not = words[0] == "not"; o.not {
				words = words[1:]
			}
			if text := strings.Join(words[1:], " "); words[0] == "none" {
				o.none = text
			} else {
				o.here = strings.ReplaceAll(text, "FORMATS", known)
			}
			out = append(out, o)
		}
		return out
	})
}

// argument is an option as it was given.
type argument struct {
	*option

	off    bool // by --name
	values []string
}

// value is the first value; empty: there is none.
func (a *argument) value() string {
	if len(a.values) == 0 {
		return ""
	}
	return a.values[0]
}

// Translate reads a command line. What a name means this computer isLocal tells.
func (t *Tool) Translate(line []string, isLocal func(name string) bool) (*Translation, error) {
	line, err := t.expand(line)
	if err != nil {
		return nil, err
	}
	if line, err = t.asTyped(line); err != nil {
		return nil, err
	}
	args, rest, err := t.parse(line)
	if err != nil {
		return nil, err
	}
	var notes []string
	for i := range args {
		if args[i].none != "" {
			notes = append(notes, "-"+args[i].name+" means nothing here: "+args[i].none)
		}
	}
	args = slices.DeleteFunc(args, func(a argument) bool { return a.none != "" })
	out, err := t.translate(args, rest, isLocal)
	if err != nil {
		return nil, err
	}
	out.Notes = append(notes, out.Notes...)
	return out, nil
}

// option finds the option that an argument is; nil: it is none. known is false for what
// looks like one and is not known.
func (t *Tool) option(arg string) (o *option, off, known bool) {
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
	options := t.options()
	for i := range options {
		if o := &options[i]; strings.EqualFold(o.name, name) && (!off || o.not) {
			return o, off, true
		}
	}
	return nil, false, arg[0] == '/' // which begins the names of files on other systems
}

// asTyped takes signs of pages that a line was copied from for those that stand on a keyboard:
// dashes before options, and blanks that part no words. Quotes that quote nothing, and dashes
// of two meanings, are refused.
func (t *Tool) asTyped(line []string) (out []string, err error) {
	for _, whole := range line {
		words := []string{whole}
		apart := strings.FieldsFunc(whole, func(r rune) bool { return paths.LooksLike(r, " ") })
		if slices.ContainsFunc(apart, func(word string) bool { o, _, _ := t.option(typedDash(word)); return o != nil }) || len(apart) < 2 {
			words = apart
		}
		for _, word := range words {
			if r, _ := utf8.DecodeRuneInString(word); paths.LooksLike(r, `'"`) {
				return nil, failure.WithHint(fmt.Errorf("invalid syntax: %s begins with a sign that quotes nothing", word), `write " in its place`)
			}
			typed := typedDash(word)
			if o, _, known := t.option(typed); o == nil && known {
				typed = word
			} else if o != nil && o.not && strings.HasPrefix(word, "\u2014") {
				return nil, failure.WithHint(fmt.Errorf("invalid syntax: %s can mean two options", word), fmt.Sprintf("write -%s or --%[1]s", o.name))
			}
			out = append(out, typed)
		}
	}
	return out, nil
}

// typedDash is a word with - for each dash that it begins with.
func typedDash(word string) string {
	rest := strings.TrimLeftFunc(word, func(r rune) bool { return r == '-' || paths.LooksLike(r, "-") })
	return strings.Repeat("-", utf8.RuneCountInString(word[:len(word)-len(rest)])) + rest
}

// tooMany refuses words that nothing asks for.
func tooMany(words []string) error {
	if len(words) == 0 {
		return nil
	}
	return fmt.Errorf("invalid syntax: %s is one word too many", words[0])
}

// unread refuses options that mean nothing to what is done.
func unread(args []argument, what string, read func(*argument) bool) error {
	for i := range args {
		if a := &args[i]; !read(a) {
			return fmt.Errorf("invalid syntax: -%s means nothing to %s", a.name, what)
		}
	}
	return nil
}

// parse takes a command line apart.
func (t *Tool) parse(line []string) (args []argument, rest []string, err error) {
	for i := 0; i < len(line); i++ {
		if line[i] == "/?" || line[i] == "-?" {
			return nil, nil, ErrHelp
		}
		o, off, known := t.option(line[i])
		switch {
		case !known:
			return nil, nil, failure.WithHint(fmt.Errorf("invalid syntax: there is no option %s", line[i]), t.Name+" /? lists the options")
		case o == nil:
			rest = append(rest, line[i])
			continue
		}
		if slices.ContainsFunc(args, func(a argument) bool { return a.option == o }) {
			return nil, nil, failure.WithHint(fmt.Errorf("invalid syntax: -%s is given twice", o.name), "say it once, with all of its values")
		}
		a := argument{option: o, off: off}
		for n := 0; i+1 < len(line) && t.wants(&a, n, line[i+1]); n++ {
			i++
			a.values = append(a.values, line[i])
		}
		if len(a.values) == 0 && !off && (o.takes == one || o.takes == some || o.takes == date) {
			return nil, nil, failure.WithHint(fmt.Errorf("invalid syntax: -%s lacks its value", o.name), t.Name+" /? lists the options")
		}
		args = append(args, a)
	}
	return args, rest, nil
}

// wants tells whether an option takes one more argument.
func (t *Tool) wants(a *argument, n int, next string) bool {
	if a.off || a.takes == nothing {
		return false
	}
	o, _, known := t.option(next)
	isOption := o != nil || !known
	switch a.takes {
	case one:
		return n == 0 && o == nil // a file may begin with a dash
	case maybe:
		return n == 0 && !isOption
	case some, several:
		return !isOption
	case date:
		return n == 0 && !isOption || n > 0 && isDatePart(next)
	case nothing:
	}
	return false
}

// mostSettings bounds the settings file of -config, in bytes.
const mostSettings = 1 << 20

// expand puts what settings files say in their place: lines as on a command line, or
// [option] and its values below, each on a line.
func (t *Tool) expand(args []string) (out []string, err error) {
	for i := 0; i < len(args); i++ {
		o, _, _ := t.option(args[i])
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
			if slices.ContainsFunc(words, func(w string) bool { o, _, _ := t.option(w); return o != nil && o.name == "config" }) {
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

// Help is what /? prints.
func (t *Tool) Help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nperfdeck as %s of Windows:\n\n  %s\n\nOptions:\n", t.Name, strings.ReplaceAll(t.usage, "\n", "\n  "))
	options := t.options()
	for i := range options {
		o := &options[i]
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

// oneOf finds a value among those that there are, in any case.
func oneOf(option, value string, known ...string) (string, error) {
	for _, k := range known {
		if strings.EqualFold(k, value) {
			return k, nil
		}
	}
	return "", failure.WithHint(fmt.Errorf("-%s %s: there is no such value", option, value), "known: "+strings.Join(known, ", "))
}

// output is where typeperf and relog write to: -f, -o, -y.
type output struct {
	format  *formats.Format // nil: as the tool has it
	file    string          // empty: none
	replace bool            // a file that is there
}

func (o *output) set(a *argument) (err error) {
	switch a.name {
	case "f":
		var name string
		if name, err = oneOf("f", a.value(), formats.WindowsNames()...); err == nil {
			o.format, _ = formats.OfWindows(name)
		}
	case "o":
		o.file = a.value()
	case "y":
		o.replace = true
	}
	return err
}

// splitSet makes DSN!log of SQL a file, and a flag that names the set in it.
func (o *output) splitSet(format *formats.Format) []string {
	file, set, is := strings.Cut(o.file, "!")
	if !is || !format.HasSets() {
		return nil
	}
	o.file = strings.TrimPrefix(file, "SQL:") + format.Extensions[0]
	return []string{"--set=" + set}
}

// countOf is an error if an option has no number of samples.
func countOf(a *argument) error {
	if n, err := strconv.ParseUint(a.value(), 10, 31); err != nil || n == 0 {
		return fmt.Errorf("-%s %s is no number of samples", a.name, a.value())
	}
	return nil
}
