package themes

import (
	"image/color"
	"strconv"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Print resolves a token for text that is printed line by line, as [Theme.Sheet] does for
// screens. Areas are backgrounds, all other tokens foregrounds.
func (t *Theme) Print(token Token, profile Profile, isDark bool) lipgloss.Style {
	palette := t.palette(isDark)
	style := lipgloss.NewStyle()
	if token >= tokenCount {
		return style
	}
	c := palette[token]
	if token >= Background {
		style = style.Background(c.printed(profile))
	} else {
		style = style.Foreground(c.printed(profile))
	}
	if profile <= Colours16 || c.Own {
		// Bold wins over faint, as in pens.
		style = style.Bold(c.Word.Bold).Faint(c.Word.Faint && !c.Word.Bold).Reverse(c.Word.Reverse)
	}
	return style
}

// printed is the colour as lipgloss knows it.
func (c Colour) printed(profile Profile) color.Color {
	var own color.Color = lipgloss.NoColor{}
	word := own
	if c.Word.Colour >= 0 {
		word = lipgloss.Color(strconv.Itoa(int(c.Word.Colour)))
	}
	switch {
	case profile == NoColour || c.Inherit && !c.Own:
		return own
	case c.Own:
		return word
	}
	complete := lipgloss.Complete(colourProfiles[profile])
	return complete(word, lipgloss.ANSIColor(c.Index), color.RGBA{c.RGB[0], c.RGB[1], c.RGB[2], 0xff})
}

var colourProfiles = [...]colorprofile.Profile{
	NoColour: colorprofile.ASCII, Colours16: colorprofile.ANSI, Colours256: colorprofile.ANSI256, TrueColour: colorprofile.TrueColor,
}
