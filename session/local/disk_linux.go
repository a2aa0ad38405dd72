package local

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/cooker"
)

// recheck is how often what seldom changes is looked at again.
const recheck = 10 * time.Second

// physicalDisks reads PhysicalDisk.
type physicalDisks struct {
	options *Options
	stats   kept
	known   map[string]physicalDisk
	checked time.Duration
}

// physicalDisk is what sysfs says of a name in /proc/diskstats.
type physicalDisk struct {
	device  uint64
	counted bool
	name    string
	id      uint64 // diskseq, or the device number before Linux 5.15
}

func newPhysicalDisks(t *tick) collector {
	return newMany(diskCounters, &physicalDisks{options: t.options, stats: t.procPieces("diskstats")}, true)
}

func (p *physicalDisks) read(f *found[disk], clocks cooker.Clocks) error {
	data, err := p.stats.read()
	if err != nil {
		return readError("diskstats", err)
	}
	if now := p.options.Monotonic(); p.known == nil || now-p.checked >= recheck {
		p.known, p.checked = make(map[string]physicalDisk), now
	}
	for len(data) > 0 {
		var l []byte
		l, data = line(data)
		var d diskLine
		if !d.parse(l) {
			continue
		}
		known, ok := p.known[string(d.name)]
		if !ok || known.device != d.device() {
			known = p.look(&d)
			p.known[known.name] = known
		}
		if known.counted {
			f.instance("", known.name, known.id).take(&d, clocks)
		}
	}
	return nil
}

func (d *disk) take(l *diskLine, clocks cooker.Clocks) {
	d.n, d.columns, d.time100ns = l.n, l.columns, clocks.Time100ns
}

// look decides whether a device is a disk: no partition, loop, RAM or mapped
// device, optical or floppy drive, and not one path of several to a disk.
func (p *physicalDisks) look(d *diskLine) physicalDisk {
	name := string(d.name)
	disk := physicalDisk{device: d.device(), name: name, id: d.device()}
	dir := filepath.Join(p.options.Sys, "block", strings.ReplaceAll(name, "/", "!"))
	if _, err := os.Stat(filepath.Join(dir, "device")); err != nil {
		return disk
	}
	optical := strings.HasPrefix(name, "sr") || strings.HasPrefix(name, "fd")
	disk.counted = !optical && fileNumber(filepath.Join(dir, "hidden")) == 0 && fileNumber(filepath.Join(dir, "size")) > 0
	if sequence := fileNumber(filepath.Join(dir, "diskseq")); sequence > 0 {
		disk.id = sequence
	}
	return disk
}

func (p *physicalDisks) close() { p.stats.close() }
