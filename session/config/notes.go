package config

const notesTable = "notes"

// mostNoteFiles bounds what is looked at every second.
const mostNoteFiles = 20

// NotePaths are the files to which other programs append notes, from the root on; a nil *Config has none.
func (c *Config) NotePaths() (files []string) {
	if c == nil {
		return nil
	}
	for _, name := range c.NoteFiles {
		if name, err := BelowHome(name); err == nil { // else nobody has a home
			files = append(files, name)
		}
	}
	return files
}

// decodeNotes reads [notes]: the files with notes of other programs, absolute, or below ~/.
func decodeNotes(root table) (files []string) {
	t, ok := root.table(notesTable)
	if !ok {
		return nil
	}
	set(t, "files", texts(`files, as ["/var/log/deploys.log"]`, isWholePath), &files)
	if len(files) > mostNoteFiles {
		t.wrong("files", "at most 20 files")
		return nil
	}
	return files
}
