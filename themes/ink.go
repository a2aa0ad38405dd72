package themes

// Ink is a style in colours, for pictures: there is no terminal that has colours of its
// own.
type Ink struct {
	Fore, Back      [3]uint8
	Bold, Underline bool
}

// Inks is a theme resolved for pictures.
type Inks struct {
	palette *Palette
	own     [2][3]uint8 // what stands for the terminal's own colours, of text and background
}

// The colours for those that a theme leaves to the terminal: those of the standard theme.
var (
	ownDark  = [2][3]uint8{{0xd6, 0xdd, 0xe4}, {0x0f, 0x14, 0x19}}
	ownLight = [2][3]uint8{{0x24, 0x29, 0x2f}, {0xff, 0xff, 0xff}}
)

// Inks resolves the theme for a dark or light background.
func (t *Theme) Inks(isDark bool) *Inks {
	own := ownLight
	if isDark {
		own = ownDark
	}
	return &Inks{t.palette(isDark), own}
}

// Ink resolves a style.
func (i *Inks) Ink(style Style) Ink {
	fg, bg := style.tokens()
	fore := i.colour(fg)
	back := i.palette[bg]
	ink := Ink{Fore: i.rgb(fore, 0), Back: i.rgb(back, 1), Bold: style&boldBit != 0, Underline: style&underlineBit != 0}
	if fore.Own && fore.Word.Faint && style&boldBit == 0 {
		for i := range ink.Fore { // about what terminals make of it
			ink.Fore[i] = uint8((int(ink.Fore[i]) + int(ink.Back[i])) / 2)
		}
	}
	reverse := style&reverseBit != 0
	if fore.Own {
		ink.Bold, reverse = ink.Bold || fore.Word.Bold, reverse || fore.Word.Reverse
	}
	if back.Own {
		ink.Bold, reverse = ink.Bold || back.Word.Bold, reverse != back.Word.Reverse
	}
	if reverse {
		ink.Fore, ink.Back = ink.Back, ink.Fore
	}
	return ink
}

// Background is the colour of what nothing is drawn on.
func (i *Inks) Background() [3]uint8 { return i.rgb(i.palette[Background], 1) }

// colour is that of a token or of a step of a ramp.
func (i *Inks) colour(fg Token) Colour {
	if fg < tokenCount {
		return i.palette[fg]
	}
	step := int(fg - tokenCount) // see Ramp.shade
	return i.palette.shade(Ramp(step/RampSteps), step%RampSteps, TrueColour)
}

// rgb is a colour, that of the terminal's own where a theme leaves it to that.
func (i *Inks) rgb(c Colour, own int) [3]uint8 {
	switch {
	case !c.Own && !c.Inherit:
		return c.RGB
	case c.Own && c.Word.Colour >= 0:
		return words[c.Word.Colour&15]
	}
	return i.own[own]
}

// words are the 16 colours of terminals where nobody changed them: those of xterm, with
// the blues that it has had since 2006 for their contrast.
var words = [16][3]uint8{
	{0x00, 0x00, 0x00}, {0xcd, 0x00, 0x00}, {0x00, 0xcd, 0x00}, {0xcd, 0xcd, 0x00}, {0x00, 0x00, 0xee}, {0xcd, 0x00, 0xcd}, {0x00, 0xcd, 0xcd}, {0xe5, 0xe5, 0xe5},
	{0x7f, 0x7f, 0x7f}, {0xff, 0x00, 0x00}, {0x00, 0xff, 0x00}, {0xff, 0xff, 0x00}, {0x5c, 0x5c, 0xff}, {0xff, 0x00, 0xff}, {0x00, 0xff, 0xff}, {0xff, 0xff, 0xff},
}
