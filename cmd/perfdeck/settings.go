package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/config"
)

// flagKeys are the flags that stand for settings of the config, with the text a
// flag without a value stands for.
var flagKeys = []struct{ flag, key, text string }{
	{flag: "interval", key: "interval"},
	{flag: "history", key: "history"},
	{flag: "theme", key: "theme"},
	{flag: "renderer", key: "renderer"},
	{flag: "ascii", key: "ascii", text: "true"},
	{flag: "no-color", key: "color", text: "false"},
	{flag: "no-mouse", key: "mouse", text: "false"},
	{flag: "low-bandwidth", key: "low_bandwidth", text: "true"},
	{flag: "spec-scale", key: "numbers.scaled_values", text: "true"},
}

// settings merges flags, environment and config, in this order. The config is
// read once; what is odd in it is said once.
func (p *program) settings(c *cobra.Command) (config.Settings, error) {
	if err := p.loadConfig(); err != nil {
		return config.Settings{}, err
	}
	return p.merge(c, p.config)
}

// merge settles the settings with those of a config file.
func (p *program) merge(c *cobra.Command, file *config.Config) (config.Settings, error) {
	var fromFlags config.Layer
	for _, k := range flagKeys {
		f := c.Flags().Lookup(k.flag)
		if f == nil || !f.Changed {
			continue
		}
		text := f.Value.String()
		if k.text != "" {
			if text != "true" {
				continue
			}
			text = k.text
		}
		if err := fromFlags.Set(k.key, text); err != nil {
			return config.Settings{}, usage(fmt.Errorf("--%s: %w", k.flag, err))
		}
	}
	fromEnvironment, err := config.Environment(p.environ)
	if err != nil {
		return config.Settings{}, usage(err)
	}
	return config.Merge(fromFlags, fromEnvironment, file.Settings), nil
}

// loadConfig reads the config file, once.
func (p *program) loadConfig() error {
	if p.config != nil {
		return nil
	}
	cfg, err := p.readConfig()
	if err != nil {
		return err
	}
	p.config = cfg
	return nil
}

// readConfig reads the config file. With an error the config may have what is not wrong
// in it.
func (p *program) readConfig() (*config.Config, error) {
	cfg, warnings, err := config.Load(p.context(), p.flags.config)
	for _, w := range warnings {
		fmt.Fprintf(p.err, "perfdeck: %s\n", session.Printable(w.String()))
		if w.Hint() != "" {
			fmt.Fprintf(p.err, "hint: %s\n", session.Printable(w.Hint()))
		}
	}
	return cfg, err
}

// looksOf is how counters are shown: as they ask for, by the settings, and by the
// [[counter]] of the config on top.
func looksOf(s config.Settings, own *config.Overrides) session.Looks {
	return func(set *session.Counterset, c *session.Counter) session.Look {
		look := c.Look()
		look.Style, look.Grouping = s.Units, s.Grouping
		if o, ok := own.For(set.Name, c.Name); ok {
			look.Format = o.Apply(look.Format)
			if o.Scale != nil {
				look.ChartScale = *o.Scale
			}
		}
		if s.ScaledValues {
			look.Scale = look.ChartScale
		}
		return look
	}
}

// recordedLooks is how counters are written in recordings: as they ask for, whatever screens
// show, and by the [[counter]] of the config on top.
func recordedLooks(own *config.Overrides) session.Looks {
	return func(set *session.Counterset, c *session.Counter) session.Look {
		f := cooker.FormatOf(c.Type, c.Quantity, c.Attributes)
		if o, ok := own.For(set.Name, c.Name); ok {
			f = o.Apply(f)
		}
		return session.Look{Format: f}
	}
}
