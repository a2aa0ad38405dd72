package report

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/system/failure"
)

// The form is that which is named, that of the file, or that of terminals.
func TestFormOf(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", "text"}, {"", "x.HTML", "html"}, {"", "x.htm", "html"}, {"", "x.markdown", "md"}, {"md", "x.html", "md"}, {"json", "x.what", "json"}, {"json", "", "json"}, {"", "x.txt", "text"},
	} {
		if f, err := FormOf(c[0], c[1]); err != nil || f.Name != c[2] {
			t.Errorf("%q: %v, %v", c, f, err)
		}
	}
	for _, c := range [][2]string{{"pdf", ""}, {"", "x.pdf"}, {"", "x"}} {
		_, err := FormOf(c[0], c[1])
		if _, is := errors.AsType[*failure.UsageError](err); !is || failure.Hint(err) == "" {
			t.Errorf("%q: %v", c, err)
		}
	}
	if names := FormNames(); !slices.Contains(names, "html") || !strings.HasSuffix(Extensions(), " or .txt") {
		t.Errorf("%q, %q", names, Extensions())
	}
}
