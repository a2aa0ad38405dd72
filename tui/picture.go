package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/picture"
)

// What the root does to save what is seen. The picture is taken before the dialog that
// asks for its name opens.

// savePicture asks where to, and saves.
func (r *root) savePicture() {
	seen := r.seen()
	scope := ""
	if h := r.focused(); h != nil {
		scope = h.Name
	}
	name := picture.Name(r.screen().Title(), scope, r.desk.LookedAt())
	r.desk.Send(pane.AskText{
		Title: "Save what is seen", Text: name, Help: ".svg is a graphic, .ansi text with colours, .txt plain text",
		Each: func(text string) error { _, err := pictureFile(text); return err },
		Done: func(text string) (err error) {
			name, err = pictureFile(text)
			return err
		},
		Then: func() { r.askPicture(seen, name) },
	})
}

// seen is a copy of what is seen.
func (r *root) seen() picture.Picture {
	c := canvas.New(0, 0, r.canvas.Glyphs())
	c.Copy(r.canvas)
	return picture.Picture{
		Canvas: c, Theme: r.options.Theme, Dark: r.dark,
		Title: "perfdeck " + r.screen().Title() + " " + r.screen().Scope() + ", " + r.desk.LookedAt().Format(time.DateTime),
	}
}

var errNoPictureName = errors.New("a name, as picture.svg")

// pictureFile is the file that a user named; ~/ is the home.
func pictureFile(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errNoPictureName
	}
	if !picture.Knows(text) {
		return "", picture.ErrForm
	}
	if below, ok := strings.CutPrefix(text, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find %s: %w", text, err)
		}
		text = filepath.Join(home, below)
	}
	return text, nil
}

// askPicture saves a picture; a file that is there is asked about.
func (r *root) askPicture(seen picture.Picture, name string) {
	r.writePicture(seen, name, false, func() {
		r.desk.Send(pane.Confirm{
			Title: "Replace the file?", Text: name + " is there already.", Yes: "Replace",
			Do: func() { r.writePicture(seen, name, true, nil) },
		})
	})
}

// writePicture saves a picture, beside the screens: a disk may take its time. there is
// what to do when the file is there already.
func (r *root) writePicture(seen picture.Picture, name string, replace bool, there func()) {
	r.desk.Wait("saving the picture", func() func(bool) {
		size, err := savePicture(seen, name, replace)
		return func(awaited bool) {
			switch {
			case err == nil:
				r.say("saved " + name + ", " + english.Size(int64(size)))
			case errors.Is(err, fs.ErrExist) && there != nil && awaited:
				there()
			default:
				r.fail(err)
			}
		}
	})
}

// savePicture makes the file of a picture, or replaces the one that is there: all of it or
// nothing. It waits for no pipe and writes to no device.
func savePicture(seen picture.Picture, name string, replace bool) (size int, err error) {
	data, err := seen.Write(name)
	if err != nil {
		return 0, fmt.Errorf("save the picture: %w", err)
	}
	if err := osfile.Save(name, data, replace); err != nil {
		return 0, fmt.Errorf("save the picture: %w", err)
	}
	return len(data), nil
}
