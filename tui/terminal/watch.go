package terminal

// Event is something that happened to the terminal outside its input.
type Event uint8

const (
	// Resized asks for the new Size.
	Resized Event = iota
	// Continued says that the program was stopped and runs again: Reenter,
	// invalidate the painter, ask for the size.
	Continued
)
