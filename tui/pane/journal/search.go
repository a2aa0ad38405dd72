package journal

import (
	"perfdeck/tui/kit/filter"
	"perfdeck/tui/pane"
)

// fields are what entries can be asked for.
func fields() *filter.Fields[*pane.Entry] {
	return &filter.Fields[*pane.Entry]{
		List: []filter.Field[*pane.Entry]{
			{Name: "host", Texts: filter.One(func(e *pane.Entry) string { return e.Host }), Example: "host:srv1"},
			{Name: "level", Texts: func(e *pane.Entry, fits func(string) bool) bool {
				return e.Level > pane.Info && fits(levelWords[min(e.Level, pane.Critical)])
			}, Example: "level:warning"},
			{Name: "text", Texts: filter.One(func(e *pane.Entry) string { return e.Text })},
		},
		Plain: func(e *pane.Entry, fits func(string) bool) bool { return fits(e.Text) || fits(e.Host) },
	}
}
