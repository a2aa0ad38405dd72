package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"perfdeck/session/config"
	"perfdeck/session/text"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/terminal"
)

func (p *program) themesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "themes",
		Short: "List, show and check the colour themes",
		Long: `themes prints the names of the colour themes, for --theme: those that come with
perfdeck, and the files of the folder themes beside the config file. On a terminal
each is shown with its colours.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return p.listThemes(c) },
	}
	show := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a theme as a file, to start one's own from",
		Long: `show prints a theme as a complete file. Written to the folder themes beside the
config file under a name of its own, it is a theme of its own:

  perfdeck themes show nord > ~/.config/perfdeck/themes/mine.toml
  perfdeck themes check ~/.config/perfdeck/themes/mine.toml
  perfdeck --theme mine`,
		Args:              exactly("theme"),
		ValidArgsFunction: cobra.FixedCompletions(themes.Names(userThemes()), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			theme, err := themes.Load(args[0], userThemes())
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(p.out, theme.TOML())
			return err
		},
	}
	check := &cobra.Command{
		Use:   "check FILE...",
		Short: "Report what is wrong in theme files, and what can hardly be read",
		Long: `check reads theme files. What is wrong is said with its line and key; then the exit
code is 1. Text that has less contrast than 4.5 to 1, and graphics that have less
than 3 to 1, on one of the backgrounds are said as well: those are no error.`,
		Args: needs("file"),
		RunE: func(_ *cobra.Command, args []string) error { return p.checkThemes(args) },
	}
	c.AddCommand(show, check)
	return c
}

// listThemes prints the themes; those that cannot be read are said after them.
func (p *program) listThemes(c *cobra.Command) error {
	list := themes.List(userThemes())
	out := bufio.NewWriter(p.out)
	swatch := p.swatches(c)
	people := p.people(p.out).To(out)
	table := text.Table{Columns: []text.Column{{}}}
	if swatch != nil {
		table = text.Table{Columns: []text.Column{{Least: nameWidth}, {IsDrawn: true}, {}}, Gap: 1, Tone: named}
	}
	room := max(0, people.Cells()-nameWidth-swatchWidth-4) // for what is said about a theme
	for _, info := range list {
		if swatch == nil || info.Err != nil {
			table.Row(info.Name)
			continue
		}
		name, about := ansi.Truncate(printable.Text(info.Name), nameWidth, ".."), " "+ansi.Truncate(printable.Text(info.Theme.About), room, "..")
		for _, line := range swatch(info.Theme) {
			table.Row(name, line, about)
			name, about = "", ""
		}
	}
	if err := table.Print(people); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, info := range list {
		_ = p.report(info.Err)
	}
	return nil
}

// swatches draws a theme in the colours of the terminal, a line for each of its
// palettes; nil where there is no terminal, or none that shows colours.
func (p *program) swatches(c *cobra.Command) func(*themes.Theme) []string {
	settings, err := p.settings(c)
	profile := terminal.FullProfile(p.environ)
	if err != nil || !settings.Color || profile == themes.NoColour || terminal.IsDumb(p.environ) || !term.IsTerminal(int(p.out.Fd())) {
		return nil
	}
	return func(t *themes.Theme) []string {
		var lines []string
		for _, isDark := range []bool{true, false} {
			if t.Only == "" && settings.Background == darkAs(!isDark) || t.Only != "" && isDark == (t.Only == "light") {
				continue
			}
			lines = append(lines, swatchLine(t.Sheet(profile, isDark), p.glyphs(settings.ASCII)))
		}
		return lines
	}
}

func darkAs(isDark bool) config.Background {
	if isDark {
		return config.BackgroundDark
	}
	return config.BackgroundLight
}

// swatchWidth is the width of a swatch, nameWidth that of names before it.
const (
	nameWidth   = 16
	swatchWidth = 46
)

// swatchLine is a line that shows the tokens of a theme: text, states with their
// signs, a selected value, series with their letters.
func swatchLine(sheet *themes.Sheet, glyphs canvas.GlyphSet) string {
	c := canvas.New(swatchWidth, 1, glyphs)
	r, g := c.Root(), glyphs.Glyphs()
	x := 1
	put := func(text string, st themes.Style) { x += r.Text(x, 0, text, st) }
	put("text ", themes.Text)
	put("muted ", themes.Muted)
	put("key ", themes.Accent)
	put("focus ", themes.Focus)
	put(string(g.Careful), themes.Careful)
	put(string(g.Warning), themes.Warning)
	put(string(g.Critical), themes.Critical)
	put(string(g.Stale), themes.Stale)
	put(" 71.3 ", themes.Strong.Bold().On(themes.Selection))
	put(string(g.Spark[:4]), themes.Spark)
	put(" ", 0)
	for i := range 8 {
		put(string(rune('A'+i)), themes.Series(i).Bold())
	}
	return c.Styled(sheet)
}

// checkThemes reads files and says what is wrong in them.
func (p *program) checkThemes(files []string) error {
	out := bufio.NewWriter(p.out)
	bad := 0
	for _, file := range files {
		theme, err := p.readTheme(file)
		if p.context().Err() != nil {
			return cmp.Or(err, context.Cause(p.context()))
		}
		if err != nil {
			bad++
			fmt.Fprintf(out, "%s\n", printable.Text(strings.TrimPrefix(err.Error(), "load theme: ")))
			continue
		}
		problems := theme.Check()
		problems = slices.CompactFunc(problems, func(a, b themes.Problem) bool { // both profiles: once
			return a.Side == b.Side && a.Token == b.Token && a.Area == b.Area
		})
		for _, problem := range problems {
			fmt.Fprintf(out, "%s: %v\n", printable.Text(file), problem)
		}
		fmt.Fprintf(out, "%s: valid, %s\n", printable.Text(file), english.Count(len(problems), "warning", "warnings"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("check themes: %s of %d not valid", english.Count(bad, "file", "files"), len(files))
	}
	return nil
}

func (p *program) readTheme(file string) (*themes.Theme, error) {
	data, err := p.readInput(file, 64<<10)
	if err != nil {
		return nil, fmt.Errorf("read theme: %w", err)
	}
	return themes.Parse(file, data)
}
