package main

import (
	"os"
	"strings"

	"golang.org/x/term"

	"perfdeck/session/config"
	"perfdeck/session/text"
	"perfdeck/themes"
	"perfdeck/tui/terminal"
)

// people is the printer of one of the program's files: on a terminal it has the theme's
// colours and the terminal's width, elsewhere it prints plain text. What stands for tools of
// Windows is plain as theirs is.
func (p *program) people(out *os.File) *text.Printer {
	if p.isTool || terminal.IsDumb(p.environ) || !term.IsTerminal(int(out.Fd())) {
		return text.Plain(out)
	}
	s := p.printedSettings()
	theme, err := themes.Load(s.Theme, userThemes())
	if err != nil {
		if theme, err = themes.Load(themes.Default, nil); err != nil {
			return text.Plain(out)
		}
	}
	profile := themes.NoColour
	if s.Color {
		profile = terminal.Profile(p.environ)
	}
	isDark, isKnown := p.background(s.Background)
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		width = 0
	}
	return text.Styled(out, text.Options{Theme: theme, Profile: profile, IsDark: isDark, IsOwn: !isKnown, Cells: width})
}

// printedSettings are the settings of what is printed, as far as they are known by now: an
// error may be that of the config.
func (p *program) printedSettings() config.Settings {
	file := p.config
	if file == nil {
		file = &config.Config{}
	}
	if p.command != nil {
		if s, err := p.merge(p.command, file); err == nil {
			return s
		}
	}
	environment, err := config.Environment(p.environ)
	if err != nil {
		environment = config.Layer{}
	}
	return config.Merge(environment, file.Settings)
}

// background tells whether text stands on a dark background, and whether that is known: the
// terminal is not asked, as its answer would take part of what was typed ahead.
func (p *program) background(b config.Background) (isDark, isKnown bool) {
	if b != config.BackgroundAuto {
		return b == config.BackgroundDark, true
	}
	fields := strings.Split(p.getenv("COLORFGBG"), ";") // as rxvt, Konsole and others set it
	switch fields[len(fields)-1] {
	case "":
		return true, false
	case "7", "15":
		return false, true
	}
	return true, true
}
