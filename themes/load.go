package themes

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// Default is the name of the theme every other theme fills its gaps from.
const Default = "default"

// maxFileBytes bounds a theme file: a complete one is about 2 KB.
const maxFileBytes = 64 << 10

//go:embed *.toml
var embedded embed.FS

// Theme is a palette for dark and one for light backgrounds.
type Theme struct {
	Name        string
	About       string // one line; may be empty
	Source      string // where its colours come from; may be empty
	Only        string // "dark" or "light": it has one palette, for every background
	Dark, Light Palette
}

// Palette holds one colour per token.
type Palette [tokenCount]Colour

// side is one of the palettes of a theme.
type side struct {
	name    string
	palette *Palette
}

// palette is that for a dark or light background.
func (t *Theme) palette(isDark bool) *Palette {
	if isDark {
		return &t.Dark
	}
	return &t.Light
}

// sides are the palettes that differ.
func (t *Theme) sides() []side {
	all := []side{{"dark", &t.Dark}, {"light", &t.Light}}
	if t.Only != "" {
		return slices.DeleteFunc(all, func(s side) bool { return s.name != t.Only })
	}
	return all
}

// NotFoundError says that no theme of that name exists.
type NotFoundError struct {
	Name  string
	Known []string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("load theme %q: no such theme", e.Name)
}

// Hint names the themes there are.
func (e *NotFoundError) Hint() string { return "themes: " + strings.Join(e.Known, ", ") }

// FileError says what is wrong in a theme file, and where.
type FileError struct {
	File   string
	Line   int    // 1-based; 0 when unknown
	Key    string // as "dark.accent"; "" when unknown
	Reason string
}

func (e *FileError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Key != "" {
		where += ": " + e.Key
	}
	return fmt.Sprintf("load theme: %s: %s", where, e.Reason)
}

// Info is a theme as lists show it.
type Info struct {
	Name  string
	IsOwn bool   // it comes with perfdeck
	Theme *Theme // nil if it cannot be read
	Err   error  // why
}

// List reads the themes of the user's directory (may be nil) and the embedded
// ones, each name once: the default first, then by name. A file that cannot be
// read is listed with its error.
func List(user fs.FS) []Info {
	own := Names(nil)
	var out []Info
	for _, name := range append([]string{Default}, slices.DeleteFunc(Names(user), func(name string) bool { return name == Default })...) {
		theme, err := Load(name, user)
		out = append(out, Info{Name: name, IsOwn: slices.Contains(own, name) && !hasFile(user, name), Theme: theme, Err: err})
	}
	return out
}

func hasFile(dir fs.FS, name string) bool {
	if dir == nil {
		return false
	}
	_, err := fs.Stat(dir, name+".toml")
	return err == nil
}

// Load reads the theme NAME.toml of the user's directory (user may be nil) or
// else the embedded one. A token that the file leaves out is that of its base,
// the default if it names none.
func Load(name string, user fs.FS) (*Theme, error) {
	if !plainName(name) {
		return nil, &NotFoundError{Name: name, Known: Names(user)}
	}
	for _, dir := range []fs.FS{user, embedded} {
		if dir == nil {
			continue
		}
		theme, err := parseFile(dir, name)
		// ENOTDIR: there is no directory of the user's, as without a home.
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return theme, err
		}
	}
	return nil, &NotFoundError{Name: name, Known: Names(user)}
}

// Names lists the themes of the user's directory (may be nil) and the embedded
// ones, sorted, each once.
func Names(user fs.FS) []string {
	var names []string
	for _, dir := range []fs.FS{user, embedded} {
		if dir == nil {
			continue
		}
		files, err := fs.Glob(dir, "*.toml")
		if err != nil {
			continue
		}
		for _, file := range files {
			names = append(names, strings.TrimSuffix(file, ".toml"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plainName keeps a name from leaving its directory.
func plainName(name string) bool {
	return fs.ValidPath(name) && name != "." && path.Base(name) == name &&
		!strings.ContainsAny(name, `\:`)
}

func parseFile(dir fs.FS, name string) (*Theme, error) {
	file := name + ".toml"
	f, err := dir.Open(file)
	if err != nil {
		return nil, fmt.Errorf("load theme %q: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("load theme %q: %w", name, err)
	}
	theme, err := Parse(file, data)
	if err != nil {
		return nil, err
	}
	theme.Name = name
	return theme, nil
}
