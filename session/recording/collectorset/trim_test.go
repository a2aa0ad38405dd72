package collectorset

import (
	"slices"
	"strings"
	"testing"
)

// TestTexts holds that what stands around a text, as programs write it that make XML nice to
// read, is no part of it: of no element.
func TestTexts(t *testing.T) {
	const set = `<DataCollectorSet><Name>_Web load_</Name><Segment>_-1_</Segment><SegmentMaxSize>_12_</SegmentMaxSize><Keyword>_web_</Keyword>
<Schedule><StartDate>_3/2/2026_</StartDate><StartTime>_4:00:00 PM_</StartTime></Schedule>
<PerformanceCounterDataCollector><DataCollectorType>_0_</DataCollectorType><Name>_A_</Name><FileName>_f_</FileName>
<FileNameFormatPattern>_yyyy_</FileNameFormatPattern><LogAppend>_true_</LogAppend><Counter>_\System\Threads_</Counter></PerformanceCounterDataCollector>
<AlertDataCollector><Name>_L_</Name><SampleInterval>_-1_</SampleInterval><Alert>_\Memory\Free  MB&lt;5_</Alert></AlertDataCollector>
<DataManager><ReportFileName>_r.html_</ReportFileName></DataManager></DataCollectorSet>`
	want, _, err := Decode([]byte(strings.ReplaceAll(set, "_", "")))
	if err != nil {
		t.Fatal(err)
	}
	for _, around := range []string{"\n    ", "\r\n\t", "  \n", " ", "&#13;\n  "} {
		got, found, err := Decode([]byte(strings.ReplaceAll(set, "_", around)))
		if err != nil {
			t.Fatal(err)
		}
		if around == " " {
			if p := &got.Collectors[0].FileNamePattern; *p != " yyyy " {
				t.Errorf("blanks of a pattern: %q", *p)
			} else {
				*p = "yyyy"
			}
		}
		text, plain := string(got.Encode(UTF8)), string(want.Encode(UTF8))
		refused := slices.ContainsFunc(append(found, got.Check(Place{})...), func(f Finding) bool { return f.Refuses || f.Code == Invalid })
		if text != plain || refused {
			t.Errorf("%q: %v\n%s\nwant\n%s", around, found, text, plain)
		}
	}
	kept, _, err := Decode([]byte("<DataCollectorSet><Name>&#32;a&#32;&#32;</Name></DataCollectorSet>"))
	if err != nil || kept.Name != " a  " || !strings.Contains(string(kept.Encode(UTF8)), "<Name>&#32;a&#32;&#32;</Name>") {
		t.Errorf("blanks that are written as a part of it: %q, %v", kept.Name, err)
	}
}
