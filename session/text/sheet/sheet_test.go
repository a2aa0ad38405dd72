package sheet_test

import (
	"fmt"
	"slices"
	"testing"

	"perfdeck/session/text/sheet"
)

func TestRows(t *testing.T) {
	const text = `
# a comment
before any part
[Memory] of  all
# of things
% In Use = used base
Cache = Bytes

[a, b]
[c = d] x
\# Things = y
\Path
Load
`
	var got []string
	for r := range sheet.Rows(text) {
		got = append(got, fmt.Sprintf("%s %q %s %q", r.Part, r.Of, r.Name, r.Words))
	}
	want := []string{
		` [] before any part []`,
		`Memory ["of" "all"] % In Use ["used" "base"]`,
		`Memory ["of" "all"] Cache ["Bytes"]`,
		`c = d ["x"] # Things ["y"]`,
		`c = d ["x"] \Path []`,
		`c = d ["x"] Load []`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows are %q, want %q", got, want)
	}
	for range sheet.Rows(text) {
		break // without a panic
	}
}
