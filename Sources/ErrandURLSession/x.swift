import ErrandCore
