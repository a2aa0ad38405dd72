package config

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/printable"
)

const deckTable = "deck"

func decodeDeck(t table) session.Deck {
	deck := session.Deck{Name: required(t, "name", name("a deck"))}
	set(t, "sets", texts(`names of countersets, with *, as ["SQLServer:*"]`, plainText), &deck.Sets)
	var host string
	set(t, "host", hostName(), &host)
	const expected = `panes: [[deck.panes]] or [{paths = ['\Object(*)\Counter']}]`
	panes := t.tables("panes", expected)
	for _, p := range panes {
		deck.Panes = append(deck.Panes, decodePane(p, host))
	}
	v, there := t.value("panes")
	if items, isArray := v.([]any); !there {
		t.missing("panes", expected)
	} else if isArray && len(items) == 0 {
		t.fault("panes", &FileError{Reason: "found none", Expected: expected})
	}
	return deck
}

func decodePane(t table, host string) session.DeckPane {
	pane, used := session.DeckPane{Host: host, Paths: t.panePaths()}, false
	set(t, "host", hostName(), &pane.Host)
	set(t, "used", yesNo(), &used)
	set(t, "spare", yesNo(), &pane.Spare)
	pane.AsNamed = !used
	if n := optional(t, "busiest", whole(1, maxBusiest)); n != nil {
		pane.Busiest = *n
		t.single("busiest", pane.Paths)
	}
	if k := optional(t, "kind", oneOf[uint8](session.PaneKinds...)); k != nil {
		if pane.Kind = session.PaneKinds[*k]; pane.Kind == "cells" {
			t.single("kind", pane.Paths)
		}
	}
	pane.Also, pane.Or = t.anyPaths("also"), t.anyPaths("or")
	pane.Limit = t.paneLimit()
	return pane
}

// single says that a value of a pane takes one path beside it.
func (t table) single(key string, paths []string) {
	if len(paths) > 1 {
		t.wrong(key, "one path beside it, not "+strconv.Itoa(len(paths)))
	}
}

// pathList is an array that is not empty, if there is one.
func (t table) pathList(key, expected string) []any {
	v, there := t.value(key)
	items, ok := v.([]any)
	if there && (!ok || len(items) == 0) {
		t.wrong(key, expected)
	}
	return items
}

// anyPaths reads counter paths of any countersets.
func (t table) anyPaths(key string) (out []string) {
	for i, item := range t.pathList(key, "counter paths, as ['\\Object(*)\\Counter']") {
		if text, _ := t.counterPath(key, item, t.at.field(key).item(i).value); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// FormatDeck writes a deck as the config has it.
func FormatDeck(d session.Deck) ([]byte, error) {
	type pane struct {
		Paths   []string `toml:"paths,multiline"`
		Or      []string `toml:"or,omitempty"`
		Also    []string `toml:"also,multiline,omitempty"`
		Kind    string   `toml:"kind,omitempty"`
		Limit   any      `toml:"limit,omitempty"`
		Busiest int      `toml:"busiest,omitempty"`
		Used    bool     `toml:"used,omitempty"`
		Spare   bool     `toml:"spare,omitempty"`
	}
	type deck struct {
		Name  string `toml:"name"`
		Panes []pane `toml:"panes"`
	}
	out := deck{Name: d.Name}
	for _, p := range d.Panes {
		var limit any
		if p.Limit != "" {
			limit = p.Limit
		}
		if n, err := strconv.ParseFloat(p.Limit, 64); err == nil {
			limit = n
		}
		out.Panes = append(out.Panes, pane{p.Paths, p.Or, p.Also, p.Kind, limit, p.Busiest, !p.AsNamed, p.Spare})
	}
	return toml.Marshal(map[string][]deck{deckTable: {out}})
}

// panePaths reads the counter paths of a pane, which are of one counterset.
func (t table) panePaths() (out []string) {
	const expected = `counter paths of one counterset, as ['\Object(*)\Counter']`
	if _, there := t.value("paths"); !there {
		t.missing("paths", expected)
		return nil
	}
	var object string
	for i, item := range t.pathList("paths", expected) {
		offset := t.at.field("paths").item(i).value
		text, p := t.counterPath("paths", item, offset)
		switch {
		case text == "":
		case object != "" && !paths.EqualFold(object, p.Object):
			t.d.fault(offset, &FileError{
				Key: t.key("paths"), Reason: "found " + show(item), Expected: "a counter of " + printable.Shorten(object, mostShown) + ", as before it",
				hint: "a pane shows one counterset: make another pane, or put it into also",
			})
		default:
			object = p.Object
			out = append(out, text)
		}
	}
	return out
}

// counterPath reads one path of a pane; "" if it is none.
func (t table) counterPath(key string, item any, offset int) (text string, p paths.Path) {
	const one = `a counter path without computer, as '\Object(*)\Counter'`
	p, ok := t.path(key, item, offset, one)
	if !ok {
		return "", p
	}
	e := &FileError{Key: t.key(key), Reason: "found " + show(item)}
	switch {
	case p.Computer != "":
		e.Expected, e.hint = one, `name the computer with host = "NAME"`
	case p.Wildcard()&paths.WildObject != 0:
		e.Expected = "a counterset by its whole name"
	default:
		return fmt.Sprint(item), p // a text, or it were no path
	}
	t.d.fault(offset, e)
	return "", p
}

// paneLimit reads what counters can reach: a number, or the path of the counter that
// tells it.
func (t table) paneLimit() string {
	const key, expected = "limit", `a number greater than 0, or the path of the counter that gives it, as '\Object\Counter'`
	v, there := t.value(key)
	if !there {
		return ""
	}
	var number float64
	switch v := v.(type) {
	case int64:
		number = float64(v)
	case float64:
		number = v
	case string:
		text, p := t.counterPath(key, v, t.at.field(key).value)
		if text != "" && p.Wildcard()&paths.WildCounter != 0 {
			t.wrong(key, "one counter by its whole name")
		}
		return text
	}
	if !(number > 0) || math.IsInf(number, 0) {
		t.wrong(key, expected)
		return ""
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}
