package themes

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"
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
	Dark, Light Palette
}

// Palette holds one colour per token.
type Palette [tokenCount]Colour

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

// Load reads the theme NAME.toml of the user's directory (user may be nil) or
// else the embedded one. A token that the file leaves out is the default's.
func Load(name string, user fs.FS) (*Theme, error) {
	base, err := parseFile(embedded, Default, nil)
	if err != nil || (name == Default && user == nil) {
		return base, err
	}
	if !plainName(name) {
		return nil, &NotFoundError{Name: name, Known: Names(user)}
	}
	for _, dir := range []fs.FS{user, embedded} {
		if dir == nil {
			continue
		}
		theme, err := parseFile(dir, name, base)
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

func parseFile(dir fs.FS, name string, base *Theme) (*Theme, error) {
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
	if len(data) > maxFileBytes {
		return nil, &FileError{File: file, Reason: "file is larger than 64 KiB"}
	}
	theme, err := parse(file, data, base)
	if err != nil {
		return nil, err
	}
	theme.Name = name
	return theme, nil
}

// parse reads one theme file over the base; without a base it must be complete.
func parse(file string, data []byte, base *Theme) (*Theme, error) {
	var doc struct {
		Dark  tokenTable `toml:"dark"`
		Light tokenTable `toml:"light"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&doc); err != nil {
		return nil, fileError(file, data, err)
	}
	theme := new(Theme)
	if base != nil {
		*theme = *base
	}
	for _, side := range []struct {
		name    string
		table   *tokenTable
		palette *Palette
	}{{"dark", &doc.Dark, &theme.Dark}, {"light", &doc.Light, &theme.Light}} {
		for token, colour := range side.table.byToken() {
			switch {
			case colour != nil:
				side.palette[token] = *colour
			case base == nil:
				return nil, &FileError{File: file, Key: side.name + "." + Token(token).String(), Reason: "missing"}
			}
		}
	}
	return theme, nil
}

func fileError(file string, data []byte, err error) error {
	out := &FileError{File: file, Reason: err.Error()}
	var strict *toml.StrictMissingError
	var decode *toml.DecodeError
	if !errors.As(err, &strict) && !errors.As(err, &decode) {
		// A value that is no string fails without a position; as strings it has one.
		var plain map[string]map[string]string
		err = cmp.Or(toml.Unmarshal(data, &plain), err)
	}
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		decode = &strict.Errors[0]
		out.Reason = "unknown key"
	case errors.As(err, &decode):
		out.Reason = strings.TrimPrefix(decode.Error(), "toml: ")
	default:
		return out
	}
	out.Line, _ = decode.Position()
	out.Key = strings.Join(decode.Key(), ".")
	return out
}
