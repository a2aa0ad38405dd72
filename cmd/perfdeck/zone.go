package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	_ "time/tzdata" // for where the system has no database of zones

	"github.com/spf13/cobra"

	"perfdeck/session/system/lazy"
	"perfdeck/session/text/printable"
)

// useSystemZone lets the program have the zone that the system's own programs have. It
// returns what to tell where there is none.
func useSystemZone() (lacks string) {
	if runtime.GOOS == "windows" {
		return "" // which says it by a call, not by files
	}
	tz, isSet := os.LookupEnv("TZ")
	zone, lacks := systemZone("/", tz, isSet)
	if zone != nil {
		time.Local = zone
	}
	return lacks
}

// systemZone is the zone by TZ, or by the system's files below root: nil where the time package
// has found it itself.
func systemZone(root, tz string, isSet bool) (zone *time.Location, lacks string) {
	if !isSet {
		return zoneOfSystem(root)
	}
	name := strings.TrimPrefix(tz, ":")
	if name == "" || name == "UTC" {
		return nil, ""
	}
	if filepath.IsAbs(name) && checkZone(name) == nil {
		return nil, ""
	}
	if zone, err := time.LoadLocation(zoneName(name)); err == nil {
		return zone, ""
	}
	if zone, ok := ruledZone(name); ok {
		return zone, ""
	}
	return nil, fmt.Sprintf("TZ=%s is no time zone that is known here, and no rule as CET-1CEST,M3.5.0,M10.5.0/3: times are in UTC", printable.Text(tz))
}

// zoneOfSystem is the zone of the link /etc/localtime where the file that it leads to is not
// here, or of the files that name it on Debian and FreeBSD.
func zoneOfSystem(root string) (zone *time.Location, lacks string) {
	file := filepath.Join(root, "etc/localtime")
	if checkZone(file) == nil {
		return nil, ""
	}
	target, _ := os.Readlink(file)
	names := []string{zoneName(target)}
	for _, other := range []string{"etc/timezone", "var/db/zoneinfo"} {
		text, _ := os.ReadFile(filepath.Join(root, other))
		names = append(names, strings.TrimSpace(string(text)))
	}
	for _, name := range names {
		if name == "" || name == "Local" {
			continue
		}
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, ""
		}
	}
	return nil, "this computer does not say its time zone (/etc/localtime): times are in UTC; the variable TZ names another, or UTC"
}

// checkZone tells why a file is none of the database. Zones are small.
func checkZone(file string) error {
	const most = 1 << 20
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return fmt.Errorf("zone %s: %w", file, os.ErrInvalid)
	}
	data, err := os.ReadFile(file)
	if err == nil {
		_, err = time.LoadLocationFromTZData(file, data)
	}
	return err
}

// zoneName is the name of a zone by that of its file.
func zoneName(file string) string {
	if _, name, ok := strings.Cut(file, "zoneinfo/"); ok {
		return name
	}
	return file
}

// zoneRule is how a rule of POSIX begins: a name of letters, or of more between < and >, and
// how far behind UTC it is.
var zoneRule = lazy.Regexp(`^([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)[+-]?[0-9]`)

// ruledZone is a zone by a rule of POSIX (tzset(3)), as CET-1CEST,M3.5.0,M10.5.0/3. The
// time package reads such rules where a file of the database ends with one: so it is given a
// file that has nothing else.
func ruledZone(rule string) (*time.Location, bool) {
	const most = 128
	if len(rule) > most || !zoneRule().MatchString(rule) {
		return nil, false
	}
	const unruled = 1 // s east of UTC: of the type that counts where the rule is none
	block := "TZif2" + strings.Repeat("\x00", 15) +
		strings.Repeat("\x00", 16) + "\x00\x00\x00\x01\x00\x00\x00\x01" + // one type, whose name has no letter
		"\x00\x00\x00\x01" + "\x00\x00" + "\x00"
	zone, err := time.LoadLocationFromTZData(rule, []byte(block+block+"\n"+rule+"\n"))
	if err != nil {
		return nil, false
	}
	for month := range 12 { // as far as the rule is used
		_, offset := time.Date(2026, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).In(zone).Zone()
		if offset == unruled || offset < -mostOffset || offset > mostOffset {
			return nil, false
		}
	}
	return zone, true
}

const mostOffset = 25 * 3600 // s

// tellZone tells once that there is no zone: not who reads only what programs write.
func (p *program) tellZone(c *cobra.Command) {
	stdio := c.Flags().Lookup("stdio")
	if p.lacksZone == "" || c.Name() == cobra.ShellCompRequestCmd || stdio != nil && stdio.Changed {
		return
	}
	p.tell(p.lacksZone)
	p.lacksZone = ""
}
