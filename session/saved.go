package session

// Saved is what the user changed on the screens and finds again at the next
// start. It is written by perfdeck, other than the config, and names no
// programs. The tags are the keys of the state file (package config).
type Saved struct {
	Theme  string       `toml:"theme,omitempty"`
	Decks  []Deck       `toml:"deck,omitempty"`
	Tables []SavedTable `toml:"table,omitempty"`
	Looks  []SavedLook  `toml:"look,omitempty"`
}

// SavedTable is the table of a counterset: its columns in their order.
type SavedTable struct {
	Set     string        `toml:"set"`
	Columns []SavedColumn `toml:"columns,omitempty"`
	Sort    string        `toml:"sort,omitempty"` // name of a column
	Reverse bool          `toml:"reverse,omitempty"`
	// Combined are rows that were made of several, by names as CombineNamed takes.
	Combined []string `toml:"combined,omitempty"`
}

// SavedColumn is a column of a table: a counter or a fact by its name.
type SavedColumn struct {
	Name   string `toml:"name"`
	Hidden bool   `toml:"hidden,omitempty"`
	Width  int    `toml:"width,omitempty"` // cells; 0: as it wants
}

// SavedLook is how a counter is drawn.
type SavedLook struct {
	Path   string `toml:"path"`             // without computer
	Scale  *int   `toml:"scale,omitempty"`  // power of ten
	Colour int    `toml:"colour,omitempty"` // number of a series colour from 1
}

// Table is what is kept of the table of a counterset, nil if nothing is.
func (k *Saved) Table(set string) *SavedTable {
	if k == nil {
		return nil
	}
	for i := range k.Tables {
		if k.Tables[i].Set == set {
			return &k.Tables[i]
		}
	}
	return nil
}

// SetTable keeps a table.
func (k *Saved) SetTable(t SavedTable) {
	if old := k.Table(t.Set); old != nil {
		*old = t
		return
	}
	k.Tables = append(k.Tables, t)
}

// Look is what is kept of a path, nil if nothing is.
func (k *Saved) Look(path string) *SavedLook {
	if k == nil {
		return nil
	}
	for i := range k.Looks {
		if k.Looks[i].Path == path {
			return &k.Looks[i]
		}
	}
	return nil
}

// SetLook keeps how a counter is drawn.
func (k *Saved) SetLook(l SavedLook) {
	if old := k.Look(l.Path); old != nil {
		*old = l
		return
	}
	k.Looks = append(k.Looks, l)
}
