package themes

// tokenTable is the shape of a [dark] or [light] table; its fields are named so
// that a strict decoder finds unknown keys and their lines.
type tokenTable struct {
	Text       *Colour `toml:"text"`
	Strong     *Colour `toml:"strong"`
	Muted      *Colour `toml:"muted"`
	Rule       *Colour `toml:"rule"`
	Accent     *Colour `toml:"accent"`
	Focus      *Colour `toml:"focus"`
	Spark      *Colour `toml:"spark"`
	OK         *Colour `toml:"ok"`
	Careful    *Colour `toml:"careful"`
	Warning    *Colour `toml:"warning"`
	Critical   *Colour `toml:"critical"`
	Stale      *Colour `toml:"stale"`
	S1         *Colour `toml:"s1"`
	S2         *Colour `toml:"s2"`
	S3         *Colour `toml:"s3"`
	S4         *Colour `toml:"s4"`
	S5         *Colour `toml:"s5"`
	S6         *Colour `toml:"s6"`
	S7         *Colour `toml:"s7"`
	S8         *Colour `toml:"s8"`
	Background *Colour `toml:"background"`
	Surface    *Colour `toml:"surface"`
	Header     *Colour `toml:"header"`
	Selection  *Colour `toml:"selection"`
}

func (t *tokenTable) byToken() [tokenCount]*Colour {
	return [tokenCount]*Colour{
		Text: t.Text, Strong: t.Strong, Muted: t.Muted, Rule: t.Rule,
		Accent: t.Accent, Focus: t.Focus, Spark: t.Spark, OK: t.OK,
		Careful: t.Careful, Warning: t.Warning, Critical: t.Critical, Stale: t.Stale,
		S1: t.S1, S2: t.S2, S3: t.S3, S4: t.S4, S5: t.S5, S6: t.S6, S7: t.S7, S8: t.S8,
		Background: t.Background, Surface: t.Surface, Header: t.Header, Selection: t.Selection,
	}
}
