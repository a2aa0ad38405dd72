//go:build !unix

package config

// stateOfOthers is not told here: the folder has the rights of that which it is in, which for a
// user's own are the user's.
func stateOfOthers(string) (reason, hint string) { return "", "" }

// VisitState is MakeStateDir: nobody acts for others here.
func VisitState() (dir, shown string, back func(), err error) {
	dir, err = MakeStateDir()
	return dir, dir, func() {}, err
}
