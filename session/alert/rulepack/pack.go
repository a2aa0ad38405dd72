// Package rulepack holds starter packs of alert rules: a handful for each subject,
// with a sentence each on why. They stand as tables of the config file, so that
// users can copy them there and change them.
package rulepack

import (
	"embed"
	"fmt"
	"strings"

	"perfdeck/session/alert"
	"perfdeck/session/config"
)

//go:embed packs/*.toml
var packs embed.FS

// names are the packs, in the order of lists.
var names = []string{"processor", "memory", "disk", "network", "sqlserver", "iis"}

// Names are the packs.
func Names() []string { return names }

// Origin begins the origin of the rules of packs.
const Origin = "pack "

// UnknownError says that there is no such pack.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("alert pack %q: there is none", e.Name) }

// Hint names those that there are.
func (e *UnknownError) Hint() string { return "packs: " + strings.Join(names, ", ") }

// Text is a pack as tables of the config file. The error is *UnknownError.
func Text(name string) (string, error) {
	text, err := packs.ReadFile("packs/" + name + ".toml")
	if err != nil {
		return "", &UnknownError{name}
	}
	return string(text), nil
}

// About is the sentence that a pack begins with; empty where there is no such pack.
func About(name string) string {
	text, _ := Text(name)
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	about, _, _ := strings.Cut(line, ". ")
	return about
}

// Rules are the rules of a pack. The error is *UnknownError.
func Rules(name string) ([]alert.Rule, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	c, _, err := config.Parse(Origin+name, []byte(text))
	if err != nil {
		return nil, err
	}
	return c.Alerts.Rules, nil
}
