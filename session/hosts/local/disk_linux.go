package local

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// recheck is how often what seldom changes is looked at again.
const recheck = 10 * time.Second

// seldom is how often what is known otherwise to be as it was is looked at again.
const seldom = 6 * recheck

// recheckOf is how often a device is looked at again: one that rests has hardly become
// another, for the kernel reads the partitions of a new medium.
func recheckOf(moved bool) time.Duration {
	if moved {
		return recheck
	}
	return seldom
}

// diskRecord bounds a line of /proc/diskstats: a name of 31 bytes and 20 numbers.
const diskRecord = 512

// physicalDisks reads PhysicalDisk.
type physicalDisks struct {
	options *Options
	stats   kernelFile
	known   map[string]*physicalDisk // by name
	round   uint64
}

// physicalDisk is what sysfs says of a name in /proc/diskstats.
type physicalDisk struct {
	device  uint64
	counted bool
	name    string
	id      uint64 // diskseq, or the device number before Linux 5.15
	done    uint64 // reads and writes when last seen
	looked  uint64 // reads and writes when sysfs was asked
	checked time.Duration
	round   uint64 // in which it was seen
}

func newPhysicalDisks(t *tick) collector {
	return newMany(diskCounters, &physicalDisks{options: t.options, stats: t.records("diskstats", diskRecord), known: make(map[string]*physicalDisk)}, true)
}

func (p *physicalDisks) read(f *found[disk]) error {
	data, err := p.stats.read()
	if err != nil {
		return readError("diskstats", err)
	}
	p.round++
	now, looks := p.options.Monotonic(), 1
	for l := range lines(data) {
		var d diskLine
		if !d.parse(l) {
			continue
		}
		known := p.known[string(d.name)]
		done := d.n[diskReads] + d.n[diskWrites]
		switch {
		case known == nil || known.device != d.device() || done < known.done:
			known = p.look(&d, now)
		case looks > 0 && now-known.checked >= recheckOf(done != known.looked): // one at a time
			looks--
			known = p.look(&d, now)
		}
		known.done, known.round = done, p.round
		if known.counted {
			f.instance("", known.name, known.id).add(&d.n, d.columns, f.clocks.Time100ns)
		}
	}
	maps.DeleteFunc(p.known, func(_ string, d *physicalDisk) bool { return d.round != p.round })
	return nil
}

// look decides whether a device is a disk: no partition, loop, RAM or mapped
// device, optical or floppy drive, and not one path of several to a disk.
func (p *physicalDisks) look(d *diskLine, now time.Duration) *physicalDisk {
	name := string(d.name)
	disk := &physicalDisk{
		device: d.device(), name: name, id: d.device(),
		looked: d.n[diskReads] + d.n[diskWrites], checked: now,
	}
	p.known[name] = disk
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
