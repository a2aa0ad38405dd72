package terminal

import (
	"context"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"perfdeck/themes"
)

// Profile returns how many colours the terminal shows, by its environment
// ("KEY=value" strings). Any value of NO_COLOR means none.
func Profile(environ []string) themes.Profile {
	if lookup(environ, "NO_COLOR") != "" {
		return themes.NoColour
	}
	if lookup(environ, "TERM") == "linux" {
		return themes.Colours16 // whatever COLORTERM was inherited
	}
	switch colorprofile.Env(environ) {
	case colorprofile.TrueColor:
		return themes.TrueColour
	case colorprofile.ANSI256:
		return themes.Colours256
	case colorprofile.ANSI:
		return themes.Colours16
	}
	return themes.NoColour
}

// FullProfile is [Profile], or true colour where the terminal's entry in terminfo
// says so (the extended capabilities RGB and Tc), or tmux of the terminal around
// it. Terminals that draw true colour often say so by neither TERM nor COLORTERM.
func FullProfile(environ []string) themes.Profile {
	p := Profile(environ)
	name := lookup(environ, "TERM")
	if p != themes.Colours256 && p != themes.Colours16 || name == "linux" {
		return p
	}
	if colorprofile.Terminfo(name) == colorprofile.TrueColor || lookup(environ, "TMUX") != "" && tmuxHasRGB(environ) {
		return themes.TrueColour
	}
	return p
}

// tmuxPatience bounds how long the first screen waits for tmux, which answers
// within 5 ms.
const tmuxPatience = 200 * time.Millisecond

// tmuxHasRGB asks tmux whether the terminal that it draws on has true colour.
func tmuxHasRGB(environ []string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxPatience)
	defer cancel()
	c := exec.CommandContext(ctx, "tmux", //nolint:gosec // the pane is an argument of its own
		"display-message", "-p", "-t", lookup(environ, "TMUX_PANE"), "#{client_termfeatures}")
	c.Env, c.WaitDelay = environ, tmuxPatience
	features, err := c.Output()
	return err == nil && slices.Contains(strings.Split(strings.TrimSpace(string(features)), ","), "RGB")
}

// IsUTF8 reports whether the locale of the environment is UTF-8 (POSIX: LC_ALL,
// else LC_CTYPE, else LANG). A Windows console always is.
func IsUTF8(environ []string) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := lookup(environ, key); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// IsDumb reports whether the terminal cannot move its cursor.
func IsDumb(environ []string) bool {
	name := lookup(environ, "TERM")
	return name == "dumb" || name == "" && runtime.GOOS != "windows"
}

// lookup returns the last value of a key, as a shell would.
func lookup(environ []string, key string) (value string) {
	for _, entry := range environ {
		if name, v, ok := strings.Cut(entry, "="); ok && name == key {
			value = v
		}
	}
	return value
}
