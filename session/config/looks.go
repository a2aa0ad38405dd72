package config

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// Looks are how counters are shown: as they ask for, by the settings, and by the [[counter]] of the
// config on top.
func (o *Overrides) Looks(s Settings) session.Looks {
	return func(set *session.Counterset, c *session.Counter) session.Look {
		look := c.Look()
		look.Style, look.Grouping = s.Units, s.Grouping
		if own, ok := o.For(set.InEnglish(), c.InEnglish()); ok {
			look.Format = own.Apply(look.Format)
			if own.Scale != nil {
				look.ChartScale = *own.Scale
			}
		}
		if s.ScaledValues {
			look.Scale = look.ChartScale
		}
		return look
	}
}

// RecordedLooks are how counters are written in recordings: as they ask for, whatever screens show,
// and by the [[counter]] of the config on top.
func (o *Overrides) RecordedLooks() session.Looks {
	return func(set *session.Counterset, c *session.Counter) session.Look {
		f := cooker.FormatOf(c.Type, c.Quantity, c.Attributes)
		if own, ok := o.For(set.InEnglish(), c.InEnglish()); ok {
			f = own.Apply(f)
		}
		return session.Look{Format: f}
	}
}
