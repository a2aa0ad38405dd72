package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfdeck/session/config"
)

// settingFlags are the flags that stand for settings of the config. Those that take no text
// say what they stand for.
var settingFlags = []struct {
	flag, short, key string
	text             string // of a flag that takes none
	standard, help   string
	screens          bool // of the screens alone
	look             bool // it says how screens look: a recording is played with it, too
}{
	{flag: "interval", short: "i", key: "interval", standard: "1s", help: "time between samples: seconds, or a time as 500ms, 1m30s or 00:15"},
	{flag: "history", key: "history", standard: "10m", help: "how long values are kept of what is shown"},
	{flag: "history-memory", key: "history_memory", standard: "1MB", help: "most memory for each host and 10m of history of what is no longer shown"},
	{flag: "theme", key: "theme", standard: "default", look: true, help: "colour theme"},
	{flag: "ascii", key: "ascii", text: "true", look: true, help: "draw with ASCII characters only"},
	{flag: "no-color", key: "color", text: "false", look: true, help: "no colours; also by NO_COLOR"},
	{flag: "no-mouse", key: "mouse", text: "false", look: true, help: "leave the mouse to the terminal"},
	{flag: "renderer", key: "renderer", standard: "own", look: true, help: "who writes to the terminal: own or bubbletea"},
	{flag: "low-bandwidth", key: "low_bandwidth", text: "true", look: true, help: "for slow lines: draw values each 3 s, and less that moves"},
	{flag: "spec-scale", key: "numbers.scaled_values", text: "true", screens: true, help: "show numbers times 10^default scale, as MS-PCQ 2.2.4.2 has it"},
}

// lookFlagNames are the flags that a recording is played with as the screens are shown.
func lookFlagNames() []string {
	out := []string{"config"}
	for _, s := range settingFlags {
		if s.look {
			out = append(out, s.flag)
		}
	}
	return out
}

// addSettingFlags adds them: those of the screens alone, or the others.
func addSettingFlags(f *pflag.FlagSet, screens bool) {
	for _, s := range settingFlags {
		switch {
		case s.screens != screens:
		case s.text != "":
			f.BoolP(s.flag, s.short, false, s.help)
		default:
			f.StringP(s.flag, s.short, s.standard, s.help)
		}
	}
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
	for _, k := range settingFlags {
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
	p.use(cfg)
	return nil
}

// use takes a config. Who runs beside the command itself goes by current: services read it again.
func (p *program) use(c *config.Config) {
	p.config = c
	p.current.Store(c)
}

// withConfig reads it before a command runs.
func (p *program) withConfig(*cobra.Command, []string) error { return p.loadConfig() }

// readConfig reads the config file. With an error the config may have what is not wrong
// in it.
func (p *program) readConfig() (*config.Config, error) {
	cfg, warnings, err := config.Load(p.context(), p.flags.Config)
	for _, w := range warnings {
		p.warn(w.String(), w.Hint())
	}
	if cfg != nil && cfg.Ignored != nil {
		p.report(cfg.Ignored)
	}
	return cfg, err
}
