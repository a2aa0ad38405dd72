package config

import (
	"fmt"
	"strconv"

	"perfdeck/paths"
	"perfdeck/session"
)

const deckTable = "deck"

// deckKeys are the keys of [[deck]], paneKeys those of its panes.
var (
	deckKeys = []sample{
		{"name", `"web"`, "Unlike that of every other deck."},
		{"host", `"local"`, "Where its counters are, unless a pane has a host; absent: the first host."},
		{"panes", "", "From top to bottom."},
	}
	paneKeys = []sample{
		{"paths", `['\Memory\Available MBytes', '\Memory\Cache Bytes']`, "Counters of one counterset."},
		{"busiest", "12", "With one path: only so many instances, those with the highest values."},
		{"host", `"local"`, "Where they are."},
	}
)

// decodeDecks reads the [[deck]] tables.
func decodeDecks(root table) []session.Deck {
	var out []session.Deck
	taken := map[string]bool{}
	for _, t := range root.tables(deckTable, "tables: [[deck]]") {
		t.warnUnknown(sampleKeys(deckKeys))
		deck := decodeDeck(t)
		folded := paths.Fold(deck.Name)
		if deck.Name != "" && taken[folded] {
			t.wrong("name", "a name that no other deck has")
		}
		taken[folded] = true
		out = append(out, deck)
	}
	return out
}

func decodeDeck(t table) session.Deck {
	var deck session.Deck
	names := name("a deck")
	if n := optional(t, "name", names); n != nil {
		deck.Name = *n
	} else if _, there := t.values["name"]; !there {
		t.missing("name", names.expected)
	}
	var host string
	if h := optional(t, "host", hostName()); h != nil {
		host = *h
	}
	const expected = `panes: [[deck.panes]] or [{paths = ['\Object(*)\Counter']}]`
	panes := t.tables("panes", expected)
	for _, p := range panes {
		p.warnUnknown(sampleKeys(paneKeys))
		deck.Panes = append(deck.Panes, decodePane(p, host))
	}
	v, there := t.values["panes"]
	if items, isArray := v.([]any); !there {
		t.missing("panes", expected)
	} else if isArray && len(items) == 0 {
		t.d.fault(t.at.field("panes").value, &FileError{Key: t.key("panes"), Reason: "found none", Expected: expected})
	}
	return deck
}

func decodePane(t table, host string) session.DeckPane {
	pane := session.DeckPane{Host: host, Paths: t.panePaths()}
	if h := optional(t, "host", hostName()); h != nil {
		pane.Host = *h
	}
	if n := optional(t, "busiest", whole(1, maxBusiest)); n != nil {
		pane.Busiest = *n
		if len(pane.Paths) > 1 {
			t.wrong("busiest", "one path beside it, not "+strconv.Itoa(len(pane.Paths)))
		}
	}
	return pane
}

// panePaths reads the counter paths of a pane.
func (t table) panePaths() []string {
	const expected = `counter paths of one counterset, as ['\Object(*)\Counter']`
	v, there := t.values["paths"]
	if !there {
		t.missing("paths", expected)
		return nil
	}
	items, ok := v.([]any)
	if !ok || len(items) == 0 {
		t.wrong("paths", expected)
		return nil
	}
	const one = `a counter path without computer, as '\Object(*)\Counter'`
	var out []string
	var object string
	for i, item := range items {
		offset := t.at.field("paths").item(i).value
		p, ok := t.path("paths", item, offset, one)
		if !ok {
			continue
		}
		e := &FileError{Key: t.key("paths"), Reason: "found " + show(item)}
		switch wild := p.Wildcard(); {
		case p.Computer != "":
			e.Expected, e.hint = one, `name the computer with host = "NAME"`
		case wild&paths.WildObject != 0:
			e.Expected = "a counterset by its whole name"
		case object != "" && !paths.EqualFold(object, p.Object):
			e.Expected = "a counter of " + session.Shorten(object, mostShown) + ", as before it"
			e.hint = "a pane shows one counterset: make another pane"
		default:
			object = p.Object
			out = append(out, fmt.Sprint(item)) // a text, or it were no path
			continue
		}
		t.d.fault(offset, e)
	}
	return out
}
