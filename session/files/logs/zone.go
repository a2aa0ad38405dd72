package logs

import (
	_ "embed" // the table of time zones
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Zone is the time zone of the wall clocks of a recording. Only its bias counts:
// Windows writes names that do not fit it, or are cut off.
type Zone struct {
	Name string // as Windows calls it, "W. Europe Daylight Time"; foreign text
	// Bias is UTC minus local time in minutes, with the daylight part that was in
	// force when the recording began.
	Bias  int
	Known bool // false: the recording does not tell
}

// MostBias is more than any zone has, which is 14 hours.
const MostBias = 26 * 60

// Location is the zone for the time package: a fixed offset.
func (z Zone) Location() *time.Location {
	return time.FixedZone(z.Name, -z.Bias*60)
}

// LocalZone is the zone of t as Windows would write it: the bias at t and the
// name of the zone, of its daylight time if that is in force. The location of t
// is time.Local or one of the time zone database.
func LocalZone(t time.Time) Zone {
	abbreviation, seconds := t.Zone()
	z := Zone{Name: strings.Trim(abbreviation, "()"), Bias: -seconds / 60, Known: true}
	standard, daylight := windowsNames(t)
	switch {
	case standard == "":
	case isDaylight(t):
		z.Name = daylight
	default:
		z.Name = standard
	}
	return z
}

// windowsNames are what Windows calls a zone without and with daylight time,
// empty if it has no name for it.
func windowsNames(at time.Time) (standard, daylight string) {
	l := at.Location()
	name := l.String()
	if l == time.Local {
		if standard, daylight = localWindowsNames(); standard != "" {
			return standard, daylight
		}
		name = localIANAName()
	}
	standard = windowsZones()[name]
	if zone, err := time.LoadLocation(name); err != nil || !agree(at, zone) {
		return "", "" // the name is of another zone than the times
	}
	head, hasDaylight := strings.CutSuffix(standard, "Standard Time")
	if !hasDaylight {
		return standard, standard
	}
	return standard, head + "Daylight Time"
}

// agree tells whether another zone has the bias of a time too.
func agree(t time.Time, zone *time.Location) bool {
	_, here := t.Zone()
	_, there := t.In(zone).Zone()
	return here == there
}

// isDaylight tells whether the clocks are ahead of those of half a year before
// or after. (time.Time.IsDST is true in the winter of Europe/Dublin.)
func isDaylight(t time.Time) bool {
	_, now := t.Zone()
	_, january := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location()).Zone()
	_, july := time.Date(t.Year(), 7, 1, 0, 0, 0, 0, t.Location()).Zone()
	return now > min(january, july)
}

// windowsZonesText has a line for each Windows zone: its name, a TAB, and the
// names that the time zone database has for it, aliases included. Facts of
// Unicode CLDR 41, common/supplemental/windowsZones.xml (typeVersion 2021a) and
// common/bcp47/timezone.xml; Europe/Kyiv and America/Ciudad_Juarez of CLDR 43.
//
//go:embed windowszones.txt
var windowsZonesText string

// windowsZones is the Windows zone of each name of the time zone database.
var windowsZones = sync.OnceValue(func() map[string]string {
	zones := make(map[string]string, 600)
	for line := range strings.Lines(windowsZonesText) {
		windows, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for name := range strings.FieldsSeq(names) {
			zones[name] = windows
		}
	}
	return zones
})

// localIANAName is the name that the time zone database has for the zone of this
// computer, empty if nobody says.
func localIANAName() string {
	if name, ok := os.LookupEnv("TZ"); ok {
		if name = strings.TrimPrefix(name, ":"); name == "" {
			return "UTC"
		}
		return zoneOfFile(name)
	}
	if target, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if name := zoneOfFile(target); windowsZones()[name] != "" {
			return name
		}
	}
	for _, file := range []string{"/etc/timezone", "/var/db/zoneinfo"} { // Debian, FreeBSD
		if text, err := os.ReadFile(file); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// zoneOfFile is the name of the zone that a file of the database holds.
func zoneOfFile(file string) string {
	if at := strings.LastIndex(file, "zoneinfo/"); at >= 0 {
		return file[at+len("zoneinfo/"):]
	}
	return file
}
