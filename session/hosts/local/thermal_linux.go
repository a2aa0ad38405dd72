package local

import (
	"bytes"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/cooker"
)

// thermals reads Thermal Zone Information, aside: sensors sit on slow buses.
type thermals struct {
	options *Options
	latest  latest[[]sensor]
	every   time.Duration // at least, between two reads
}

type sensor struct {
	name string
	id   uint64 // of its path
	thermal
}

func newThermals(t *tick) collector {
	return newMany(thermalCounters, &thermals{options: t.options}, false)
}

func (t *thermals) read(f *found[thermal]) error {
	sys := t.options.Sys
	sensors, known := t.latest.get(t.options, t.every, func() []sensor { return readSensors(sys) })
	if t.every = 0; known && len(sensors) == 0 {
		t.every = recheck // as on most virtual machines
	}
	for i := range sensors {
		*f.instance("", sensors[i].name, sensors[i].id) = sensors[i].thermal
	}
	return nil
}

func (t *thermals) close() {}

// readSensors reads thermal zones, and then the hardware monitors, which some
// machines have alone.
func readSensors(sys string) []sensor {
	var out []sensor
	zones, _ := filepath.Glob(filepath.Join(sys, "class/thermal/thermal_zone*"))
	for _, dir := range zones {
		s := newSensor(filepath.Base(dir)+"/"+fileText(filepath.Join(dir, "type")), filepath.Join(dir, "temp"))
		s.passive = passiveLimit(dir)
		out = append(out, s)
	}
	inputs, _ := filepath.Glob(filepath.Join(sys, "class/hwmon/hwmon*/temp*_input"))
	for _, path := range inputs {
		base := strings.TrimSuffix(path, "_input")
		name := fileText(base + "_label")
		if name == "" {
			name = fileText(filepath.Join(filepath.Dir(path), "name")) + " " + strings.TrimPrefix(filepath.Base(base), "temp")
		}
		out = append(out, newSensor(name, path))
	}
	return out
}

func newSensor(name, path string) sensor {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path))
	s := sensor{name: name, id: h.Sum64()}
	s.why, s.passive = cooker.Unavailable, missing(cooker.Unavailable)
	data, err := os.ReadFile(path)
	if n, ok := signed(data); ok {
		s.milli, s.why = n, cooker.OK
	} else if err != nil {
		s.why = statusOf(err)
	}
	return s
}

// passiveLimit is how far the first cooling device of a zone lets it run.
func passiveLimit(zone string) cooker.Reading {
	device := filepath.Join(zone, "cdev0")
	most := fileNumber(filepath.Join(device, "max_state"))
	if most == 0 {
		return missing(cooker.Unavailable)
	}
	now := min(most, fileNumber(filepath.Join(device, "cur_state")))
	return raw(100 - 100*now/most)
}

func fileText(path string) string {
	data, _ := os.ReadFile(path)
	return string(bytes.TrimSpace(data))
}
