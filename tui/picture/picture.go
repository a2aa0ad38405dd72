// Package picture writes what a canvas shows into files: as SVG, as text with colours for
// terminals, and as plain text.
package picture

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Picture is a canvas and how it looks. The canvas is not kept.
type Picture struct {
	Canvas *canvas.Canvas
	Theme  *themes.Theme
	Dark   bool
	Title  string // foreign text: for who does not see it
}

// ErrForm says that a name is of no form of pictures.
var ErrForm = errors.New("its end says no form: .svg, .ansi (or .ans) or .txt")

// writers are the forms, by the end of a file's name.
var writers = map[string]func(Picture) []byte{
	".svg": Picture.SVG, ".ansi": Picture.ANSI, ".ans": Picture.ANSI, ".txt": Picture.Text,
}

// Knows tells whether the end of a name says a form.
func Knows(name string) bool { return writers[strings.ToLower(filepath.Ext(name))] != nil }

// Write writes the picture in the form that the end of a file's name says.
func (p Picture) Write(name string) ([]byte, error) {
	write, ok := writers[strings.ToLower(filepath.Ext(name))]
	if !ok {
		return nil, ErrForm
	}
	return write(p), nil
}

// ANSI is the picture for a terminal of true colours: `cat` shows it.
func (p Picture) ANSI() []byte {
	return append([]byte(p.Canvas.Styled(p.Theme.Sheet(themes.TrueColour, p.Dark))), '\n')
}

// Text is the picture without colours. Blanks at the ends of rows are left out.
func (p Picture) Text() []byte {
	var b bytes.Buffer
	for _, row := range p.Canvas.Rows() {
		b.WriteString(strings.TrimRight(row, " "))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Name is a name for a picture of a screen, of what it shows, at a time. Of names that
// come from elsewhere what no file system minds is left.
func Name(screen, scope string, at time.Time) string {
	parts := []string{"perfdeck", plain(screen), plain(scope), at.Format("20060102-150405")}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, "-") + ".svg"
}

// plain leaves letters, digits, dots and underscores of ASCII in small letters; of the
// rest each run is a dash.
func plain(text string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := b.String()
	return strings.Trim(out[:min(len(out), most)], "-.")
}
