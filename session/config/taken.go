package config

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/text/printable"
)

// Taken is what a process took of a config: for each key of the file what is below it, by name, with a
// sum in place of what is said, so that no secret is in it. Key and name of a plain value are the same.
type Taken map[string]map[string]string

// takenOf is what the root of a file says.
func takenOf(root table) Taken {
	t := Taken{}
	for key, value := range root.values {
		switch v := value.(type) {
		case []any: // of tables, mostly
			for i, item := range v {
				fields, _ := item.(map[string]any)
				name, ok := fields["name"].(string)
				if when, is := fields["when"].(string); is && !ok {
					name, ok = when, true
				}
				if !ok {
					name = strconv.Itoa(i + 1)
				}
				t.Add(key, name, item)
			}
		case map[string]any:
			for name, item := range v {
				t.Add(key, name, item)
			}
		default:
			t.Add(key, key, v)
		}
	}
	return t
}

// Add notes something, by what it says: maps are written in the order of their keys.
func (t Taken) Add(kind, name string, says any) {
	if t[kind] == nil {
		t[kind] = map[string]string{}
	}
	t[kind][name] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, says)))[:16]
}

// Only is what a config says for some keys of the hosts and what is asked of them, and of alerts.
func (c *Config) Only(keys []string) *Config {
	out := &Config{}
	for _, key := range keys {
		switch key {
		case "host":
			out.Hosts = c.Hosts
		case "groups":
			out.Groups = c.Groups
		case "engine":
			out.Engines = c.Engines
		case "feed":
			out.Feeds = c.Feeds
		case "record":
			out.Records = c.Records
		case "push":
			out.Pushes = c.Pushes
		case "webhooks":
			out.Alerts.Webhooks = c.Alerts.Webhooks
		case "alertmanager":
			out.Alerts.Alertmanagers = c.Alerts.Alertmanagers
		}
	}
	return out
}

// mostChanges bounds the names of a kind that are told.
const mostChanges = 8

// Changes tells what another has besides (+), lacks (-) and says in another way (*), a text for each kind.
func (t Taken) Changes(to Taken) (out []string) {
	for _, kind := range keysOf(t, to) {
		before, now := t[kind], to[kind]
		words := []string{kind}
		for _, name := range keysOf(before, now) {
			was, had := before[name]
			is, has := now[name]
			switch {
			case name == kind && was != is:
				words = append(words, "")
			case !had:
				words = append(words, "+"+name)
			case !has:
				words = append(words, "-"+name)
			case was != is:
				words = append(words, "*"+name)
			}
		}
		if n := len(words) - 1 - mostChanges; n > 0 {
			words = append(words[:1+mostChanges], fmt.Sprintf("and %d more", n))
		}
		if len(words) > 1 {
			out = append(out, printable.Text(strings.TrimSpace(strings.Join(words, " "))))
		}
	}
	return out
}

// keysOf are the keys of both, in order.
func keysOf[V any](a, b map[string]V) []string {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
